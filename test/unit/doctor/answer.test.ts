import { answerOf, bearerChallenge, checkOwn, messageIn } from '../../../src/doctor/answer'

const url = 'https://assistant.example/v1/acme/mcp?code=x#y'

describe('an answer', () => {
  it('is named without its query, in which there may be a code, and with the place that nginx has for it', () => {
    const { request, path, place } = answerOf(url, 'GET', 200, {}, '')
    expect([request, path, place]).toEqual(['GET https://assistant.example/v1/acme/mcp', '/v1/acme/mcp', '/v1/acme/'])
  })

  it.each([
    ['text/html; charset=utf-8', '', true],
    ['text/plain', '\n<!DOCTYPE html>', true],
    ['text/plain', 'Not <html>', false],
    ['multipart/related; type="text/html"', '', false],
  ])('of the type %s that begins with %j is a page: %s', (type, text, isHtml) => {
    expect(answerOf(url, 'GET', 200, { 'content-type': type }, text).isHtml).toBe(isHtml)
  })

  it.each([
    ['Basic realm="x"', 'Basic'],
    ['Negotiate, NTLM', 'Negotiate'],
    [undefined, ''],
  ])('asks for credentials in the way that its challenge %j begins with', (challenge, scheme) => {
    expect(answerOf(url, 'GET', 401, { 'www-authenticate': challenge }, '').scheme).toBe(scheme)
  })

  it.each(['cf-mitigated', 'x-amzn-waf-action', 'x-datadome'])(
    'with the header %s is from a bot protection',
    (name) => {
      expect(answerOf(url, 'GET', 202, { [name]: 'challenge' }, '').isBotWall).toBe(true)
    },
  )

  it.each(['Verify you are human', 'Please verify that you are a human', 'Just a moment...', 'Are you a robot?'])(
    'whose page says %j is from a bot protection',
    (words) => {
      expect(answerOf(url, 'GET', 403, { 'content-type': 'text/html' }, words).isBotWall).toBe(true)
      expect(answerOf(url, 'GET', 403, { 'content-type': 'text/plain' }, words).isBotWall).toBe(false)
    },
  )
})

describe('an answer that is not that of the app', () => {
  const page = '<!doctype html>'

  it.each([
    [500, page, 'server-error'],
    [502, '', 'no-upstream'],
    [503, page, 'no-upstream'],
    [503, '{}', 'server-error'],
    [503, '{"error":"temporarily_unavailable"}', 'temporarily-unavailable'],
    [504, '', 'no-upstream'],
  ])('with %d and %j is found as %s', (status, text, code) => {
    const answer = answerOf(url, 'GET', status, {}, text)
    expect(() => checkOwn(answer)).toThrow(expect.objectContaining({ code }))
  })

  it.each([
    ['?again', 'redirected'],
    ['/elsewhere', 'redirected'],
    ['/v1/acme/mcp/', 'redirect-slash'],
    ['/login', 'login-wall'],
    ['http://assistant.example/v1/acme/mcp', 'redirect-https'],
    ['https://www.assistant.example/v1/acme/mcp', 'redirect-host'],
  ])('and that leads to %s is found as %s', (location, code) => {
    const answer = answerOf(url, 'GET', 302, { location }, '')
    const { href, host } = new URL(location, url)
    const values = expect.objectContaining({ to: href.replace('?again', ''), host })
    expect(() => checkOwn(answer)).toThrow(expect.objectContaining({ code, values }))
  })
})

describe('the Bearer challenge in WWW-Authenticate', () => {
  it.each<[string, Record<string, string> | undefined]>([
    ['Bearer', {}],
    [
      'bearer scope="a b", resource_metadata="https://a.example/x"',
      { scope: 'a b', resource_metadata: 'https://a.example/x' },
    ],
    ['Bearer error=invalid_token,  Scope = "a"', { error: 'invalid_token', scope: 'a' }],
    [
      'Bearer error_description="a \\"quoted\\" word, and a comma"',
      { error_description: 'a "quoted" word, and a comma' },
    ],
    ['Basic realm="x", Bearer error="invalid_token"', { error: 'invalid_token' }],
    ['Basic realm="x",Bearer error="invalid_token"', { error: 'invalid_token' }],
    ['Basic realm="Bearer"', undefined],
    ['DPoP algs="ES256"', { algs: 'ES256' }],
    ['', undefined],
  ])('is read from %j', (header, attributes) => {
    expect(bearerChallenge(header)).toEqual(attributes)
  })
})

describe('a message in a stream of events', () => {
  const line = (text: string) => `event: message\ndata: ${text}\n\n`

  it('is the first response, behind other messages, whatever they contain', () => {
    const first = '{"method":"notifications/message","params":{"data":{"result":"x"}}}'
    expect(messageIn(line(first) + line('{"id":1,"result":{"a":1}}') + line('{"id":2,"error":{}}'))).toEqual({
      id: 1,
      result: { a: 1 },
    })
    expect(messageIn(line('{"id":2,"error":{}}').replaceAll('\n', '\r\n'))).toEqual({ id: 2, error: {} })
    expect(messageIn(line(first))).toBeUndefined()
  })

  it('is found at once in a line that somebody has made to take long', () => {
    for (const text of ['{"error"', '{', '}', '"result"', '{}'])
      expect(messageIn(`data: {${text.repeat(30_000)}`)).toBeUndefined()
  })
})
