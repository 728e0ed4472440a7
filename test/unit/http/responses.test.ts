import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import request, { type Test } from 'supertest'
import {
  PublicDocuments,
  publicDocument,
  respondAsApi,
  respondFinally,
  respondWithDocument,
  respondWithError,
  respondWithJson,
  sendResponse,
} from '../../../src/http/responses'
import { OAuthError } from '../../../src/protocol/oauth-error'

const get = (listener: RequestListener): Test => request(createServer(listener)).get('/')

describe('a public document', () => {
  const document = publicDocument({ issuer: 'https://acme.example' })
  const ask = (known: string): Test =>
    get((req, res) => respondWithDocument(req, res, document)).set('If-None-Match', known)

  it('can be cached by anybody for five minutes', async () => {
    const { headers, body, status } = await get((req, res) => respondWithDocument(req, res, document))
    expect({ status, body, ...headers }).toMatchObject({
      status: 200,
      body: { issuer: 'https://acme.example' },
      'content-type': 'application/json',
      'content-length': '33',
      'cache-control': 'public, max-age=300',
      etag: document.etag,
      'access-control-allow-origin': '*',
      vary: 'X-Forwarded-Host, X-Forwarded-Proto',
    })
    expect(document.etag).toMatch(/^"[\w-]{22}"$/)
  })

  it.each([
    ['', 200, 'Origin, X-Forwarded-Host, X-Forwarded-Proto'],
    ['*', 304, 'Origin, X-Forwarded-Host, X-Forwarded-Proto'],
  ])('keeps what the host has said of it to caches: If-None-Match %j', async (known, status, vary) => {
    for (const before of ['Origin', ['Origin']]) {
      const { headers } = await get((req, res) => {
        res.setHeader('Vary', before)
        respondWithDocument(req, res, document)
      })
        .set('If-None-Match', known)
        .expect(status)
      expect(headers).toMatchObject({ vary })
    }
  })

  it.each([
    document.etag,
    `W/${document.etag}`,
    `"other", ${document.etag}`,
    `"other",W/${document.etag} ,"more"`,
    '*',
  ])('is not sent again to a client that has it: If-None-Match %s', async (known) => {
    const { headers, text } = await ask(known).expect(304)
    expect({ text, ...headers }).toMatchObject({
      text: '',
      etag: document.etag,
      'cache-control': 'public, max-age=300',
    })
  })

  it.each(['"other"', '', document.etag.slice(1, -1), `x${document.etag}`, `"W/${document.etag.slice(1)}`, '"*"'])(
    'is sent to who has another: If-None-Match %s',
    async (known) => {
      const { body } = await ask(known).expect(200)
      expect(body).toEqual({ issuer: 'https://acme.example' })
    },
  )
})

describe('the public documents', () => {
  it('are made once for each object', () => {
    const documents = new PublicDocuments()
    const members = jest.fn(() => ({ issuer: 'https://acme.example' }))
    const acme = {}
    const [first, again] = [documents.get(acme, members), documents.get(acme, members)]
    expect(again).toBe(first)
    expect(first.etag).toMatch(/^"[\w-]{22}"$/)
    expect(members).toHaveBeenCalledTimes(1)
    expect(documents.get({}, () => ({ issuer: 'https://globex.example' })).etag).not.toBe(first.etag)
  })
})

describe('a response that is not public', () => {
  it('is not cached, and clients in a browser can read it', async () => {
    const { headers, body } = await get((_, res) => respondWithJson(res, { a: 'ä' })).expect(200)
    expect({ body, ...headers }).toMatchObject({
      body: { a: 'ä' },
      'content-type': 'application/json',
      'content-length': '10',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'WWW-Authenticate, Retry-After, DPoP-Nonce',
    })
    await get((_, res) => respondWithJson(res, {}, 201)).expect(201)
  })
})

describe('an error', () => {
  const error = new OAuthError('slow_down', 'Slow down', { status: 429, headers: { 'retry-after': '7' } })

  it('is sent with its status and headers, and is not cached', async () => {
    const { headers, body } = await get((_, res) => respondWithError(res, error)).expect(429)
    expect({ body, ...headers }).toMatchObject({
      body: { error: 'slow_down', error_description: 'Slow down' },
      'retry-after': '7',
      'cache-control': 'no-store',
      pragma: 'no-cache',
      'access-control-allow-origin': '*',
    })
    expect(headers).not.toHaveProperty('www-authenticate')
  })

  it('of the host’s API has the CORS headers that the host sets', async () => {
    const { headers } = await get((_, res) => respondAsApi(res, error)).expect(429)
    expect(headers).toMatchObject({ 'retry-after': '7', 'cache-control': 'no-store' })
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  })

  it.each<[when: string, listener: RequestListener]>([
    [
      'another answer has begun',
      (_, res) => {
        res.write('half a page')
        respondWithError(res, error)
      },
    ],
    [
      'this one cannot be sent',
      (_: IncomingMessage, res) =>
        respondFinally(res, () => {
          throw new Error('no')
        }),
    ],
  ])('ends the connection if %s', async (_, listener) => {
    await expect(get(listener)).rejects.toThrow(/aborted|socket hang up/)
  })
})

describe('a response', () => {
  it.each([
    ['with a body', 'a page'],
    ['without one', undefined],
  ])('%s is sent even if writeHead returns nothing, as in Restify', async (_, body) => {
    const server = createServer((_req, res) => {
      const { writeHead } = res
      res.writeHead = ((...args: Parameters<typeof writeHead>) => {
        writeHead.apply(res, args)
      }) as unknown as typeof writeHead
      sendResponse(res, 201, { 'X-Sent': 'yes', 'Content-Type': 'text/plain' }, body)
    })
    const { headers, text } = await request(server).get('/').expect(201)
    expect({ text, sent: headers['x-sent'] }).toEqual({ text: body ?? '', sent: 'yes' })
  })
})
