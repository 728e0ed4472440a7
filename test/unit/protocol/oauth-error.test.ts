import { OAuthError } from 'customer-sign-in'
import {
  errorOfHost,
  oauthError,
  temporarilyUnavailable,
  underlying,
  withContext,
} from '../../../src/protocol/oauth-error'
import { oauthErrorCodes } from '../../../src/protocol/oauth-error-codes'
import { expectError } from '../../support/sign-in'
import { started } from '../../support/started'

describe('an OAuthError', () => {
  it.each([
    ['invalid_request', 400],
    ['invalid_grant', 400],
    ['invalid_client', 401],
    ['invalid_token', 401],
    ['insufficient_scope', 403],
    ['not_found', 404],
    ['server_error', 500],
    ['temporarily_unavailable', 503],
    ['too_many_requests', 429],
  ] as const)('of the code %s has the status %d', (code, status) => {
    expect(new OAuthError(code, 'x').status).toBe(status)
    expect(new OAuthError(code, 'x', { status: 418 }).status).toBe(418)
  })

  it.each([
    ['"quoted"', "'quoted'"],
    ['a\\b\r\nc\u0000', 'a?b??c?'],
    ['schön ☃', 'sch?n ?'],
    ['x'.repeat(1000), 'x'.repeat(400)],
  ])('describes itself in the ASCII that RFC 6749 section 5.2 allows: %.20j', (given, description) => {
    expect(new OAuthError('invalid_request', given).description).toBe(description)
  })

  it.each([
    [400, 400],
    [599, 599],
    [399, 400],
    [600, 400],
    [200, 400],
    [418.5, 400],
    [Number.NaN, 400],
    ['418' as unknown as number, 400],
  ])('with the status %p is answered with %d', (status, answered) => {
    expect(new OAuthError('invalid_request', 'x', { status }).status).toBe(answered)
  })

  it('can have another status than its code, and one that is not an error does not count', () => {
    expect(new OAuthError('temporarily_unavailable', 'x', { status: 400 }).status).toBe(400)
    expect(new OAuthError('temporarily_unavailable', 'x', { status: 200 }).status).toBe(503)
  })

  it.each([
    ['invalid_grnt', '"invalid_grnt"'],
    ['', '""'],
    ['constructor', '"constructor"'],
    ['invalid_grant\n', '"invalid_grant\\n"'],
    ['x'.repeat(1000), `"${'x'.repeat(100)}"`],
    [undefined, 'not a string'],
    [['invalid_grant'], 'not a string'],
    [Symbol('invalid_grant'), 'not a string'],
  ])('cannot have the code %p, and says which it can have', (code, given) => {
    const codes = Object.keys(oauthErrorCodes).join(', ')
    expect(() => new OAuthError(code as 'invalid_grant', 'x')).toThrow(
      new TypeError(`The code of an OAuthError is ${given} and must be one of ${codes}`),
    )
  })

  it.each([undefined, 1, null])('cannot have the description %p', (description) => {
    const message = 'The description of an OAuthError must be a string'
    expect(() => new OAuthError('invalid_request', description as unknown as string)).toThrow(new TypeError(message))
  })

  it.each([
    ['Retry-After', '7'],
    ["!#$%&'*+.^`|~-", '\tschön\xFF'],
    ['X-Empty', ''],
  ])('can have the header %p: %p', (name, value) => {
    expect(new OAuthError('invalid_request', 'x', { headers: { [name]: value } }).headers).toEqual({ [name]: value })
  })

  it.each([
    ['', 'x'],
    ['a b', 'x'],
    ['a:', 'x'],
    [' a', 'x'],
    ['X-Line', 'a\r\nb'],
    ['X-Line', 'a\n'],
    ['X-Line', '\na'],
    ['X-Character', '☃'],
    ['X-Number', 7],
    ['Content-Length', '1'],
    ['transfer-encoding', 'chunked'],
    ['content-encoding', 'gzip'],
    ['TRAILER', 'x'],
    ['Connection', 'close'],
  ])('cannot have the header %p: %p', (name, value) => {
    const headers = { 'Retry-After': '7', [name]: value as string }
    expect(() => new OAuthError('invalid_request', 'x', { headers })).toThrow(
      new TypeError(`An OAuthError cannot have this header: ${JSON.stringify(name)}`),
    )
  })

  it('tells the client its code and description, and nothing of its detail and cause', () => {
    const error = new OAuthError('invalid_grant', 'No', { detail: { grantId: 'g' }, cause: new Error('why') })
    expect(JSON.parse(JSON.stringify(error))).toEqual({ error: 'invalid_grant', error_description: 'No' })
    expect(error.detail).toEqual({ grantId: 'g' })
    expect(error.cause).toEqual(new Error('why'))
    expect(error.message).toBe('invalid_grant: No')
    expect(new OAuthError('invalid_grant', 'No')).not.toHaveProperty('cause')
  })

  it('of the host is sent with its own status and headers, and reported to the host with its detail', async () => {
    const host = await started({
      accessTokenClaims: () => {
        throw new OAuthError('too_many_requests', 'Slow down', {
          status: 429,
          headers: { 'Retry-After': '7' },
          detail: { seats: 3 },
          cause: new Error('why'),
        })
      },
    })
    const response = await host.exchange(await host.asCustomer())
    expect(expectError(response, 429, 'too_many_requests')).toBe('Slow down')
    expect(response.headers['retry-after']).toBe('7')
    expect(await host.told('denied')).toMatchObject([{ error: 'too_many_requests', status: 429, detail: { seats: 3 } }])
  })
})

describe('an OAuthError of this library’s own', () => {
  it('has a description of the registry, with anything in its gaps', () => {
    expect(oauthError('invalid_request', `${'code'} is missing`, { status: 418 })).toMatchObject({
      code: 'invalid_request',
      description: 'code is missing',
      status: 418,
    })
  })

  it('does not compile with another description, or with a code that only hosts throw', () => {
    // @ts-expect-error This description is not in the registry.
    oauthError('invalid_request', 'code is not there')
    // @ts-expect-error It is the description of another code.
    oauthError('invalid_grant', 'code is missing')
    // @ts-expect-error This library never gives this code.
    oauthError('slow_down', 'code is missing')
  })
})

describe('what a host’s code has thrown', () => {
  it('is sent to the client as it is, if it is an OAuthError', () => {
    const thrown = new OAuthError('slow_down', 'Slow down', {
      status: 429,
      headers: { 'Retry-After': '7' },
      detail: { seats: 3 },
      cause: 'why',
    })
    const { name, code, description, status, headers, detail, cause } = errorOfHost(thrown, 'accessTokenClaims')
    expect({ code, description, status, headers, detail, cause }).toEqual({
      code: 'slow_down',
      description: 'Slow down',
      status: 429,
      headers: { 'Retry-After': '7' },
      detail: { seats: 3 },
      cause: 'why',
    })
    expect(name).toBe('OAuthError')
    expect(errorOfHost(new OAuthError('slow_down', 'x'), 'tokenStore').cause).toBeInstanceOf(OAuthError)
  })

  it('is otherwise an outage to the client, with the thrown value as its cause', () => {
    const down = new Error('The database is down')
    for (const { code, status, headers, cause } of [errorOfHost(down, 'tokenStore'), temporarilyUnavailable(down)]) {
      expect({ code, status, headers, cause }).toEqual({
        code: 'temporarily_unavailable',
        status: 503,
        headers: { 'Retry-After': '1' },
        cause: down,
      })
    }
  })

  it('is an outage if it cannot be read', () => {
    const thrown = new OAuthError('invalid_grant', 'x')
    Object.defineProperty(thrown, 'code', {
      get: () => {
        throw new Error('no')
      },
    })
    expect(errorOfHost(thrown, 'accessTokenClaims')).toMatchObject({
      code: 'temporarily_unavailable',
      cause: new Error('no'),
    })
  })

  it('is shown to the operator as the underlying error', () => {
    const down = new Error('The database is down')
    const bare = new OAuthError('invalid_grant', 'x')
    expect(underlying(temporarilyUnavailable(down))).toBe(down)
    expect(underlying(bare)).toBe(bare)
    expect(underlying(down)).toBe(down)
    expect(underlying('down')).toEqual(new Error('down'))
  })

  it('is a server_error with the context of the request if it is an unexpected error', () => {
    const bug = new TypeError('x is undefined')
    expect(withContext(bug, { subject: 'customer-1' })).toMatchObject({
      code: 'server_error',
      status: 500,
      reason: 'unexpected',
      context: { subject: 'customer-1' },
      cause: bug,
    })
  })

  it('keeps its own context, if it has one', () => {
    const thrown = new OAuthError('invalid_grant', 'x', { context: { subject: 'customer-1' } })
    const { code, context } = withContext(thrown, { subject: 'customer-2', clientId: 'assistant' })
    expect({ code, context }).toEqual({
      code: 'invalid_grant',
      context: { subject: 'customer-1', clientId: 'assistant' },
    })
  })

  it('has a reason that distinguishes a refusal from a failure', () => {
    const reasonOf = (status: number) =>
      errorOfHost(new OAuthError('invalid_grant', 'x', { status }), 'accessTokenClaims').reason
    expect(reasonOf(499)).toBe(reasonOf(400))
    expect(reasonOf(500)).toBe(reasonOf(503))
    expect(reasonOf(499)).not.toBe(reasonOf(500))
    expect(temporarilyUnavailable(new Error('x')).reason).toBe('token_store_failed')
  })
})
