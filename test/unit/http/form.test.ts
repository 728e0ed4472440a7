import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { Form } from '../../../src/http/body'
import { clientId, formBody, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import { cutOffRequest, head, type RawResponse, rawRequest } from './raw-request'

const formType = 'application/x-www-form-urlencoded'

/** A form that would get tokens, for a test to spoil. */
async function rightRequest() {
  const host = await started()
  const { refresh_token } = await host.connected()
  const form = formBody({ grant_type: 'refresh_token', client_id: clientId, refresh_token })
  return { host, form }
}

/** Posts these bytes to the token endpoint, as a form unless the headers say something else. */
function post(host: TestSignIn, body: string | Buffer, headers: Record<string, string | number> = {}) {
  const length = Buffer.byteLength(body)
  const all = { 'Content-Type': formType, 'Content-Length': length, ...headers }
  return rawRequest(host.url, head('POST /v1/acme/oauth/token', all), body)
}

function chunked(body: string | Buffer, size: number): Buffer {
  const bytes = Buffer.from(body)
  const chunks: Buffer[] = []
  for (let start = 0; start < bytes.length; start += size) {
    const chunk = bytes.subarray(start, start + size)
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'))
  }
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
}

function postChunked(host: TestSignIn, chunks: string | Buffer) {
  const headers = { 'Content-Type': formType, 'Transfer-Encoding': 'chunked' }
  return rawRequest(host.url, head('POST /v1/acme/oauth/token', headers), chunks)
}

function expectTokens({ status, body }: RawResponse): void {
  expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 200, access_token: expect.any(String) })
}

function expectError({ status, headers, body }: RawResponse, expected: number, error: string): string {
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' })
  const { error_description, ...rest } = JSON.parse(body)
  expect({ status, ...rest }).toEqual({ status: expected, error })
  return error_description
}

describe('a form in an unusual format', () => {
  it('is read from chunks of any size', async () => {
    for (const size of [1, 7, 100_000]) {
      const { host, form } = await rightRequest()
      expectTokens(await postChunked(host, chunked(form, size)))
    }
  })

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('is read if it is compressed with %s', async (encoding, compress) => {
    const { host, form } = await rightRequest()
    expectTokens(await post(host, compress(form), { 'Content-Encoding': encoding }))
  })

  it('is read if it begins with a byte order mark', async () => {
    const { host, form } = await rightRequest()
    expectTokens(await post(host, `\ufeff${form}`))
  })

  it.each([
    `${formType}; charset=utf-8`,
    `${formType};charset="UTF-8"`,
    'Application/X-WWW-Form-URLencoded ; Charset=Utf-8',
    `${formType}; boundary=x`,
    `${formType};`,
    `${formType}; ;; charset=utf-8`,
    `${formType}\t;\tcharset=utf-8\t`,
    String.raw`${formType}; charset="\u\t\f-8"`,
    `${formType}; note="; charset=utf-16"; charset=utf-8`,
  ])('is read if its type is %s', async (contentType) => {
    const { host, form } = await rightRequest()
    expectTokens(await post(host, form, { 'Content-Type': contentType }))
  })

  it('is read whatever separators surround its parameters', async () => {
    const { host, form } = await rightRequest()
    expectTokens(await post(host, `&&${form}&&=&`))
  })

  it('is read among thousands of unknown parameters', async () => {
    const { host, form } = await rightRequest()
    const unknown = Array.from({ length: 2500 }, (_, index) => `a${index}`).join('&')
    expectTokens(await post(host, `${unknown}&${form}`))
  })

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    'is read where %s is among its parameters',
    async (name) => {
      const { host, form } = await rightRequest()
      expectTokens(await post(host, `${name}=x&${name}[client_id]=x&${form}`))
      expect({}).not.toHaveProperty('client_id')
    },
  )
})

describe('a body that cannot be a form', () => {
  it.each([
    ['is larger than 16 KiB by one byte', (form: string) => form.padEnd(16_385, '&')],
    ['has a parameter of 1 MB', (form: string) => `${form}&x=${'x'.repeat(1_000_000)}`],
    ['has 10,000 parameters', (form: string) => `${form}${'&a=b'.repeat(10_000)}`],
  ])('is answered with 413 if it %s', async (_, spoilt) => {
    const { host, form } = await rightRequest()
    expect(expectError(await post(host, spoilt(form)), 413, 'invalid_request')).toMatch(/16384/)
    expectError(await postChunked(host, chunked(spoilt(form), 4096)), 413, 'invalid_request')
    expectError(await post(host, gzipSync(spoilt(form)), { 'Content-Encoding': 'gzip' }), 413, 'invalid_request')
    expectTokens(await post(host, form.padEnd(16_384, '&')))
  })

  it('is answered with 413 before it is sent, if its head says how large it is', async () => {
    const { host } = await rightRequest()
    const tooLarge = head('POST /v1/acme/oauth/token', { 'Content-Type': formType, 'Content-Length': 16_385 })
    expectError(await rawRequest(host.url, tooLarge), 413, 'invalid_request')
  })

  it('is answered with 400 if its encoding is unknown, and the response says so', async () => {
    const { host, form } = await rightRequest()
    for (const encoding of ['compress', 'snappy', 'gzip, gzip', 'none']) {
      const response = await post(host, form, { 'Content-Encoding': encoding })
      expect(expectError(response, 400, 'invalid_request')).toMatch(/Content-Encoding/)
    }
    for (const { detail } of await host.told('denied')) expect(detail.reason).toMatch(/unsupported content encoding/)
    expectTokens(await post(host, form))
  })

  it.each(['gzip', 'deflate', 'br'])(
    'is answered with 400 if it is not the %s that its head says',
    async (encoding) => {
      const { host, form } = await rightRequest()
      expectError(await post(host, form, { 'Content-Encoding': encoding }), 400, 'invalid_request')
      const cut = gzipSync(form).subarray(0, 40)
      expectError(await post(host, cut, { 'Content-Encoding': 'gzip' }), 400, 'invalid_request')
      expectTokens(await post(host, form))
    },
  )

  it.each([
    ['spaces in a charset', `; charset=a${' '.repeat(12_000)}b`, /charset/],
    ['spaces in a type', `${' '.repeat(12_000)}b`, /Content-Type/],
    ['parameters', '; charset'.repeat(1300), undefined],
    ['parameters, the last a charset', `${';a="b;"'.repeat(1500)}; charset=utf-16`, /charset/],
    ['quotes that are not closed', `; charset="${'\\"'.repeat(6000)}`, undefined],
  ])('is treated like any other if its type has thousands of %s', async (_, more, refused) => {
    const { host, form } = await rightRequest()
    const response = await post(host, form, { 'Content-Type': formType + more })
    if (refused) expect(expectError(response, 400, 'invalid_request')).toMatch(refused)
    else expectTokens(response)
  })

  it.each(['iso-8859-1', 'utf-16', 'utf-7', 'x-unknown', '"utf-16le"', '"utf-16"x'])(
    'is answered with 400 where its charset is %s',
    async (charset) => {
      const { host, form } = await rightRequest()
      const response = await post(host, form, { 'Content-Type': `${formType}; charset=${charset}` })
      expect(expectError(response, 400, 'invalid_request')).toMatch(/charset/)
      expectTokens(await post(host, form))
    },
  )

  it.each(['text/plain', 'application/json', `x${formType}`, `${formType}x`, `${formType}, text/plain`, ';', '/'])(
    'is answered with 400 where its type is %s',
    async (contentType) => {
      const { host, form } = await rightRequest()
      const response = await post(host, form, { 'Content-Type': contentType })
      expect(expectError(response, 400, 'invalid_request')).toMatch(/Content-Type/)
      expectTokens(await post(host, form))
    },
  )

  it('is answered with 400 if it has no type', async () => {
    const { host, form } = await rightRequest()
    const untyped = head('POST /v1/acme/oauth/token', { 'Content-Length': form.length })
    expect(expectError(await rawRequest(host.url, untyped, form), 400, 'invalid_request')).toMatch(/Content-Type/)
  })

  it('is answered with 400 if it is missing', async () => {
    const { host } = await rightRequest()
    const bodiless = head('POST /v1/acme/oauth/token', { 'Content-Type': formType })
    expectError(await rawRequest(host.url, bodiless), 400, 'invalid_request')
    expectError(await post(host, ''), 400, 'invalid_request')
  })

  it.each<[string, Record<string, string | number>, string]>([
    ['before it has come', { 'Content-Length': 100 }, ''],
    ['in its midst', { 'Content-Length': 100 }, 'grant_type=refresh'],
    ['in the midst of a chunk', { 'Transfer-Encoding': 'chunked' }, '10\r\ngrant'],
    ['between two chunks', { 'Transfer-Encoding': 'chunked' }, '3\r\na=b\r\n'],
  ])('ends with 400 if the connection ends %s, and the next request is served', async (_, headers, body) => {
    const { host, form } = await rightRequest()
    const cut = head('POST /v1/acme/oauth/token', { 'Content-Type': formType, ...headers })
    expect((await cutOffRequest(host.url, cut, body)).status).toBe(400)
    expectTokens(await post(host, form))
    expect(await host.told('error')).toEqual([])
  })

  it('ends with 400 if its chunks are malformed', async () => {
    const { host, form } = await rightRequest()
    expect((await postChunked(host, `zz\r\n${form}\r\n0\r\n\r\n`)).status).toBe(400)
    expectTokens(await post(host, form))
  })
})

describe('a parameter with strange content', () => {
  it.each([
    ['client_id', '%00', 'invalid_request'],
    ['client_id', 'assistant-app%00', 'invalid_request'],
    ['client_id', '%FF', 'invalid_request'],
    ['client_id', '%E2%98%83', 'invalid_request'],
    ['client_id', 'x'.repeat(2049), 'invalid_request'],
    ['client_id', '__proto__', 'invalid_client'],
    ['grant_type', '%00', 'unsupported_grant_type'],
    ['grant_type', '%', 'unsupported_grant_type'],
    ['refresh_token', '%00', 'invalid_grant'],
    ['refresh_token', '%E2%98', 'invalid_grant'],
    ['refresh_token', 'x'.repeat(10_000), 'invalid_grant'],
    ['scope', '%00', 'invalid_scope'],
    ['scope', '%22%5C%0D%0A', 'invalid_scope'],
    ['resource', '%00', 'invalid_target'],
    ['resource', 'http%3A//%00', 'invalid_target'],
  ])('is refused like any other wrong one: %s=%.20s', async (name, value, error) => {
    const { host, form } = await rightRequest()
    const spoilt = form.split('&').filter((pair) => !pair.startsWith(`${name}=`))
    expectError(
      await post(host, [...spoilt, `${name}=${value}`].join('&')),
      error === 'invalid_client' ? 401 : 400,
      error,
    )
    expectTokens(await post(host, form))
  })

  it('is refused if its bytes are not UTF-8', async () => {
    const { host, form } = await rightRequest()
    const bytes = Buffer.concat([Buffer.from(form), Buffer.from([0x80, 0xff, 0x00])])
    expectError(await post(host, bytes), 400, 'invalid_grant')
    expectTokens(await post(host, form))
  })

  it('is refused if its name is repeated, even if that is __proto__', async () => {
    const { host, form } = await rightRequest()
    const described = expectError(await post(host, `${form}&__proto__=1&__proto__=2`), 400, 'invalid_request')
    expect(described).toMatch(/__proto__/)
    expectTokens(await post(host, form))
  })

  it('cannot break the response that names it', async () => {
    const { host, form } = await rightRequest()
    const name = '%22%5C%0D%0ASet-Cookie%3A x%E2%98%83'
    const response = await post(host, `${form}&${name}=1&${name}=2`)
    expect(expectError(response, 400, 'invalid_request')).toMatch(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/)
    expect(response.headers).not.toHaveProperty('set-cookie')
  })
})

describe('the parameters of a form', () => {
  it('are omitted if they have no value', () => {
    const form = new Form({ empty: '', list: ['', 'a', ''], nothing: [] as string[], noValues: ['', ''] }, [
      'list',
      'nothing',
      'noValues',
    ])
    expect(form.get('empty')).toBeUndefined()
    expect(() => form.required('empty')).toThrow('empty is missing')
    expect(form.all('list')).toEqual(['a'])
    expect([form.get('noValues'), form.all('noValues'), form.all('nothing')]).toEqual([undefined, [], []])
  })

  it('must be texts, in a list as well', () => {
    for (const value of [7, {}, null, ['a', 7], [7, 'a'], [{}]]) {
      expect(() => new Form({ list: value }, ['list'])).toThrow('list must be a string')
    }
  })
})
