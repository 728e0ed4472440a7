import express, { type RequestHandler } from 'express'
import { readBody } from '../../src/http/body'
import { HostApp } from '../support/host-app'
import { head, rawRequest } from './raw-request'

const form = 'application/x-www-form-urlencoded'

/** What is read behind this middleware, and what the host's next middleware finds on the request. */
async function readBehind(middleware: RequestHandler, body?: string): Promise<{ read: unknown; left: unknown }> {
  let found: { read: unknown; left: unknown } | undefined
  const app = express().use(middleware, async (req, res) => {
    found = { read: await readBody(req, res, form), left: req.body }
    res.end()
  })
  const host = await HostApp.start(() => app)
  const headers = { 'Content-Type': form, ...(body !== undefined && { 'Content-Length': body.length }) }
  await rawRequest(host.origin, head('POST /', headers), body ?? '')
  await host.stop()
  return found ?? { read: 'nothing', left: 'nothing' }
}

describe('a body', () => {
  it.each(['a=b', ''])('whose bytes the host has read already stays as it is: %j', async (sent) => {
    const { read, left } = await readBehind(express.raw({ type: () => true }), sent)
    expect(read).toEqual(Buffer.from(sent))
    expect(left).toBe(read)
  })

  it('that the host has put on a request which has none itself is taken as it is', async () => {
    const given = { a: 'b' }
    const { read } = await readBehind((req, _res, next) => {
      req.body = given
      next()
    })
    expect(read).toBe(given)
  })

  it('of a request that has none is undefined', async () => {
    expect(await readBehind((_req, _res, next) => next())).toEqual({ read: undefined, left: undefined })
  })
})
