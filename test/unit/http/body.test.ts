import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { parse } from 'node:querystring'
import express, { type RequestHandler } from 'express'
import { ConfigurationError, OAuthError } from '../../../src'
import { readBody, textOf } from '../../../src/http/body'
import { HostApp } from '../../support/host-app'
import { head, rawRequest } from './raw-request'

const form = 'application/x-www-form-urlencoded'

/** Middleware that reads a body and leaves this of it. */
function leaving(left: unknown): RequestHandler {
  return (req, _res, next) => {
    req.body = left
    req.resume().once('end', () => next())
  }
}

/** What is read behind this middleware, and what the host's next middleware finds on the request. */
async function readBehind(
  middleware: RequestHandler,
  body?: string,
  lines?: string[],
): Promise<{ read: unknown; left: unknown }> {
  let found: { read: unknown; left: unknown } | undefined
  const app = express().use(middleware, async (req, res) => {
    found = { read: await readBody(req, res, form).catch((error) => error), left: req.body }
    res.end()
  })
  const host = await HostApp.start(() => app)
  const headers = { 'Content-Type': form, ...(body !== undefined && { 'Content-Length': body.length }) }
  await rawRequest(host.origin, ...(lines ?? [head('POST /', headers), body ?? '']))
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

  it.each([
    'a=b',
    new URLSearchParams({ a: 'b' }),
    Buffer.from('a=b'),
    new TextEncoder().encode('a=b'),
    { a: 'b' },
    Object.assign(Object.create(null), { a: 'b' }),
    parse('a=b'),
    ['a'],
    1,
    null,
  ])('that something in front has read is taken from where it is left: %p', async (left) => {
    expect(await readBehind(leaving(left), 'a=b')).toEqual({ read: left, left })
  })

  it.each([
    [undefined, 'is not set'],
    [new FormData(), 'is neither text, bytes, URLSearchParams nor a plain object'],
    [new Map([['a', 'b']]), 'is neither text, bytes, URLSearchParams nor a plain object'],
    [new Blob(['a=b']).stream(), 'is neither text, bytes, URLSearchParams nor a plain object'],
    [Promise.resolve('a=b'), 'is neither text, bytes, URLSearchParams nor a plain object'],
  ])('of which something in front has left nothing to use is no fault of the client: %p', async (left, problem) => {
    const { read } = await readBehind(leaving(left), 'a=b')
    expect(read).toBeInstanceOf(OAuthError)
    const { code, description, status, reason, cause } = read as OAuthError
    expect({ code, description, status, reason }).toEqual({
      code: 'server_error',
      description: 'Customer sign-in is misconfigured at this address',
      status: 500,
      reason: 'misconfigured',
    })
    expect(cause).toBeInstanceOf(ConfigurationError)
    expect(cause).toMatchObject({
      option: 'req.body',
      allowed: 'what the body parser in front has made of the body',
      problem: expect.stringContaining(`${problem}, but`),
    })
    expect((cause as ConfigurationError).problem).toMatch(/mount signIn before that, or let it put .* into req\.body$/)
    expect((cause as ConfigurationError).help).toMatch(/docs\/hosts\.md#/)
  })

  it('that was sent in chunks and is gone is no fault of the client either', async () => {
    const headers = { 'Content-Type': form, 'Transfer-Encoding': 'chunked' }
    const sent = [head('POST /', headers), '3\r\na=b\r\n0\r\n\r\n']
    const { read } = await readBehind(leaving(undefined), undefined, sent)
    expect(read).toMatchObject({ code: 'server_error' })
  })

  it('that was sent in chunks leaves the headers of the request as they are', async () => {
    let headers = {}
    const keeping: RequestHandler = (req, _res, next) => {
      headers = req.headers
      next()
    }
    const chunked = head('POST /', { 'Content-Type': form, 'Transfer-Encoding': 'chunked' })
    expect((await readBehind(keeping, undefined, [chunked, '3\r\na=b\r\n0\r\n\r\n'])).read).toBe('a=b')
    expect(headers).toMatchObject({ 'transfer-encoding': 'chunked' })
  })

  it('that is empty is undefined after something in front has read it', async () => {
    expect(await readBehind(leaving(undefined), '')).toEqual({ read: undefined, left: undefined })
  })

  it('of a request that the host has answered itself is no fault of the host', async () => {
    const answering: RequestHandler = (req, res, next) => {
      res.end()
      req.resume().once('end', () => next())
    }
    expect((await readBehind(answering, 'a=b')).read).toMatchObject({
      code: 'invalid_request',
      detail: { reason: 'The request has ended' },
    })
  })

  it('that the client has framed wrongly is no fault of the host', async () => {
    const later: RequestHandler = (_req, _res, next) => process.nextTick(next)
    const chunked = head('POST /', { 'Content-Type': form, 'Transfer-Encoding': 'chunked' })
    const { read } = await readBehind(later, undefined, [`${chunked}no size of a chunk\r\n`])
    expect(read).toMatchObject({ code: 'invalid_request', detail: { reason: 'The client hung up' } })
  })

  it('whose client hangs up while something in front reads it is no fault of the host', async () => {
    const read = new Promise((resolve) => {
      void HostApp.start(() => (req: IncomingMessage, res) => {
        req.resume().once('close', () => {
          resolve(readBody(req, res, form).catch((error) => error))
          void host.stop()
        })
      }).then((started) => {
        host = started
        const socket = connect(Number(new URL(started.origin).port), '127.0.0.1')
        socket.on('error', () => {})
        const lines = head('POST /', { 'Content-Type': form, 'Content-Length': 9 })
        socket.write(`${lines}a=b`, () => socket.destroy())
      })
    })
    let host: HostApp
    expect(await read).toMatchObject({ code: 'invalid_request', detail: { reason: 'The request has ended' } })
  })
})

describe('the text of a body', () => {
  it.each([
    ['a=ü', 'a=ü'],
    [Buffer.from('a=ü'), 'a=ü'],
    [new TextEncoder().encode('a=ü'), 'a=ü'],
    [new URLSearchParams({ a: 'ü' }), 'a=%C3%BC'],
    [{ a: 'ü' }, undefined],
    [undefined, undefined],
  ])('of %p is %p', (body, text) => {
    expect(textOf(body)).toBe(text)
  })
})
