import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import request from 'supertest'
import { HostApp, testSignIn } from '../../support/host-app'
import { expectError } from '../../support/sign-in'
import { mountings } from './mountings'
import { type HostParts, servesCustomersInProcess } from './served-in-process'

/** A server without a framework. Nothing strips the prefix, so it must be in `baseUrl`. */
function app({ signIn, guard, api, page, failed }: HostParts): RequestListener {
  function own(req: IncomingMessage, res: ServerResponse): void {
    if (req.url?.endsWith('/bookings')) guard(req, res, () => caught(() => api(req, res), res))
    else caught(() => page(req, res), res)
  }

  function caught(handle: () => void, res: ServerResponse): void {
    try {
      handle()
    } catch (error) {
      failed(error, res)
    }
  }

  return (req, res) => signIn(req, res, () => own(req, res))
}

describe('node:http', () => {
  for (const mounting of [mountings.atRoot, mountings.atRootUnconfigured, mountings.underPrefix]) {
    servesCustomersInProcess(app, mounting)
  }

  it('answers 404 to every other path if there is no next handler', async () => {
    const host = await HostApp.start((baseUrl) => testSignIn({ baseUrl }))
    try {
      for (const path of ['/', '/v1/acme/oauth/authorize']) {
        expectError(await request(host.origin).get(path), 404, 'not_found')
      }
    } finally {
      await host.stop()
    }
  })

  it('rethrows an error of the host to the host', async () => {
    const told: unknown[] = []
    const host = await HostApp.start((baseUrl) => {
      const signIn = testSignIn({ baseUrl })
      return (req, res) => {
        try {
          signIn(req, res, () => {
            throw new Error('the page is broken')
          })
        } catch (error) {
          told.push(error)
          res.writeHead(500).end()
        }
      }
    })
    try {
      await request(host.origin).get('/').expect(500)
      expect(told).toEqual([new Error('the page is broken')])
    } finally {
      await host.stop()
    }
  })
})
