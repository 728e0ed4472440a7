import type { ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { type CustomerSignInOptions, MemoryTenantStore } from 'customer-sign-in'
import { Authorization } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { HostApp, testSignIn } from '../../support/host-app'
import { formBody, type TestSignIn, tenants } from '../../support/sign-in'
import { started } from '../../support/started'

afterEach(releaseClock)

/** Sends bytes over a connection, and closes it once the host is working on the request. */
async function hangUpWhile(host: { url: string }, atWork: Promise<unknown>, request: string): Promise<void> {
  const socket = connect(Number(new URL(host.url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(request)
  await atWork
  socket.destroy()
}

function closeOf(emitter: NodeJS.EventEmitter): Promise<unknown> {
  return new Promise((resolve) => emitter.once('close', resolve))
}

/** A hook that begins, and ends once the browser has hung up. */
function untilGone<T>(gives: T) {
  let begin = (): void => {}
  const atWork = new Promise<void>((resolve) => {
    begin = resolve
  })
  return {
    atWork,
    gone: async (res: NodeJS.EventEmitter): Promise<T> => {
      begin()
      await closeOf(res)
      return gives
    },
  }
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

/** The error events, once a request that fails now has caused one: every earlier request has caused its own by then. */
async function errorsBefore(host: TestSignIn, silent: () => void): Promise<number> {
  silent()
  await new Authorization(host).open()
  return (await host.told('error')).length - 1
}

describe('a browser that hangs up', () => {
  it.each(['authenticate', 'consent'])('while %s is running raises no error', async (hook) => {
    const { atWork, gone } = untilGone(undefined)
    let isSilent = false
    const working: CustomerSignInOptions['authenticate'] = (_req, res) => (isSilent ? undefined : gone(res))
    const host = await started({
      hostTimeout: 0.1,
      authenticate: hook === 'authenticate' ? working : () => ({ subject: 'customer-1' }),
      pages: { consent: (req, res, request) => working(req, res, request) as undefined },
    })
    await hangUpWhile(host, atWork, get(new Authorization(host).path))
    const errors = errorsBefore(host, () => {
      isSilent = true
    })
    expect(await errors).toBe(0)
  })

  it.each(['authenticate', 'consent'])('before the page of %s begins raises no error', async (hook) => {
    const clock = stopClock({ timers: true })
    let hangUp = (_res: ServerResponse): void => {}
    const called = new Promise<ServerResponse>((resolve) => {
      hangUp = resolve
    })
    // Template engines begin the page later. This one never does.
    const rendering: CustomerSignInOptions['authenticate'] = (_req, res) => hangUp(res)
    const host = await started({
      hostTimeout: 0.1,
      authenticate: hook === 'authenticate' ? rendering : () => ({ subject: 'customer-1' }),
      pages: { consent: (req, res, request) => rendering(req, res, request) as undefined },
    })
    await hangUpWhile(host, called, get(new Authorization(host).path))
    await closeOf(await called)
    clock.advance(10)
    releaseClock()
    expect(await errorsBefore(host, () => {})).toBe(0)
  })
})

describe('a client that hangs up', () => {
  it.each(['token', 'register'])('in the middle of its request to I/%s raises no error', async (endpoint) => {
    const type = endpoint === 'token' ? 'application/x-www-form-urlencoded' : 'application/json'
    const host = await started()
    const closed = new Promise<unknown>((resolve) => {
      host.onRequest = (req) => resolve(closeOf(req))
    })
    const arrived = new Promise<void>((resolve) => {
      const { onRequest } = host
      host.onRequest = (req) => {
        onRequest(req)
        resolve()
      }
    })
    const head = `POST /v1/acme/oauth/${endpoint} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 100\r\n\r\n`
    await hangUpWhile(host, arrived, `${head}${formBody({ grant_type: 'refresh_token' })}`)
    await closed
    expect(await host.told('error')).toEqual([])
    expect(await host.told('denied')).toMatchObject([{ where: endpoint, description: 'The body cannot be read' }])
  })

  it('before its request is read is distinguished from one that has sent nothing', async () => {
    const { atWork, gone } = untilGone(undefined)
    const sockets: NodeJS.EventEmitter[] = []
    const tenantStore = new MemoryTenantStore(tenants)
    const host = await started({
      tenantStore: {
        findTenant: async (key) => {
          await gone(sockets[0] as NodeJS.EventEmitter)
          return tenantStore.findTenant(key)
        },
      },
    })
    host.onRequest = ({ socket }) => sockets.push(socket)
    const told = new Promise((resolve) => (host.events.push = (event) => resolve(event) as never))
    const head = 'POST /v1/acme/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded'
    await hangUpWhile(host, atWork, `${head}\r\nContent-Length: 100\r\n\r\n`)
    expect(await told).toMatchObject({ type: 'denied', description: 'The body cannot be read' })
  })

  it('at a guard raises no error', async () => {
    const { atWork, gone } = untilGone(undefined)
    const events: unknown[] = []
    const sockets: NodeJS.EventEmitter[] = []
    let passed = (): void => {}
    const through = new Promise<void>((resolve) => {
      passed = resolve
    })
    const tenantStore = new MemoryTenantStore(tenants)
    const app = await HostApp.start((origin) => {
      const signIn = testSignIn({
        baseUrl: origin,
        onEvent: (event) => events.push(event),
        tenantStore: {
          findTenant: async (key) => {
            await gone(sockets[0] as NodeJS.EventEmitter)
            passed()
            return tenantStore.findTenant(key)
          },
        },
      })
      const guard = signIn.requireAccessToken({ tenantKey: 'acme' })
      return (req, res) => {
        sockets.push(req.socket)
        guard(req, res, () => res.end())
      }
    })
    await hangUpWhile({ url: app.origin }, atWork, get('/', 'Authorization: Bearer none\r\n'))
    await through
    await app.stop()
    expect(events).not.toContainEqual(expect.objectContaining({ type: 'error' }))
  })
})
