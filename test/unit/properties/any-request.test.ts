import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { clientId, expectTokens, formBody, redirectUri, TestSignIn } from '../../support/sign-in'
import { type AnyRequest, anyRequest, body, formType, headers, names, value } from './requests'

describe('the token endpoint', () => {
  let host: TestSignIn
  const agent = new Agent({ keepAlive: true })

  beforeAll(async () => {
    host = await TestSignIn.start()
  })
  afterAll(async () => {
    agent.destroy()
    await host.stop()
  })

  async function send({
    method,
    path,
    headers: given,
    body: sent,
  }: AnyRequest): Promise<IncomingMessage & { sent: string }> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(host.url + path, { method, headers: { ...given, 'content-length': sent.length }, agent })
        .on('response', resolve)
        .on('error', reject)
        .end(sent)
    })
    return Object.assign(response, { sent: await text(response) })
  }

  it('answers any request with tokens or with a well-formed OAuth error', async () => {
    await fc.assert(
      fc.asyncProperty(anyRequest, async (any) => {
        const { statusCode = 0, headers: answered, sent } = await send(any)
        expect([200, 204, 400, 401, 404, 405, 413]).toContain(statusCode)
        if (statusCode === 204) {
          expect(any.method).toBe('OPTIONS')
          return
        }
        expect(answered).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
        if (any.method === 'HEAD') return
        const error = { error: expect.stringMatching(/^[a-z_]+$/), error_description: expect.any(String) }
        expect(JSON.parse(sent)).toEqual(statusCode === 200 ? expect.objectContaining({ token_type: 'Bearer' }) : error)
        if (statusCode !== 200) expect(JSON.parse(sent).error_description).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/)
      }),
      { numRuns: 400 },
    )
    expect(await host.told('error')).toEqual([])
  })

  it('uses a code up only for a request that succeeds', async () => {
    const overrides = fc.dictionary(fc.constantFrom(...names), fc.oneof(value, fc.constant(undefined)), { maxKeys: 2 })
    await fc.assert(
      fc.asyncProperty(overrides, headers, async (changed, sentHeaders) => {
        const signedIn = await host.asCustomer()
        const right = {
          grant_type: 'authorization_code',
          client_id: clientId,
          code: signedIn.code,
          redirect_uri: redirectUri,
          code_verifier: signedIn.codeVerifier,
        }
        const { statusCode } = await send({
          method: 'POST',
          path: '/v1/acme/oauth/token',
          headers: sentHeaders,
          body: Buffer.from(formBody({ ...right, ...changed })),
        })
        if (statusCode !== 200) expectTokens(await host.exchange(signedIn))
      }),
      { numRuns: 120 },
    )
  })

  it('answers or hangs up however a body is framed, and goes on serving', async () => {
    const framing = fc.constantFrom(
      'Content-Length: 10',
      'Content-Length: 100000',
      'Content-Length: -1',
      'Content-Length: 5\r\nContent-Length: 6',
      'Transfer-Encoding: chunked',
      'Transfer-Encoding: chunked\r\nContent-Length: 5',
      'Transfer-Encoding: gzip, chunked',
      'Expect: 100-continue\r\nContent-Length: 10',
      'Expect: something\r\nContent-Length: 10',
    )
    await fc.assert(
      fc.asyncProperty(framing, body, async (frame, sent) => {
        const { port } = new URL(host.url)
        const socket = connect({ host: '127.0.0.1', port: Number(port) })
        const head = `POST /v1/acme/oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${formType}\r\n${frame}\r\n\r\n`
        socket.end(Buffer.concat([Buffer.from(head), sent]))
        const answer = await text(socket).catch((error: NodeJS.ErrnoException) => error.code ?? 'hung up')
        expect(answer).not.toMatch(/^HTTP\/1\.1 5/)
      }),
      { numRuns: 200 },
    )
    expect(await host.told('error')).toEqual([])
    await host.connected()
  })
})
