import { OAuthError } from 'customer-sign-in'
import { expectError } from '../support/sign-in'
import { started } from '../support/started'

describe('an OAuthError', () => {
  it.each([
    ['invalid_request', 400],
    ['invalid_grant', 400],
    ['a_code_of_the_host', 400],
    ['invalid_client', 401],
    ['invalid_token', 401],
    ['insufficient_scope', 403],
    ['not_found', 404],
    ['server_error', 500],
    ['temporarily_unavailable', 503],
  ])('of the code %s has the status %d', (code, status) => {
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

  it('tells the client its code and description, and nothing of its detail and cause', () => {
    const error = new OAuthError('invalid_grant', 'No', { detail: { grantId: 'g' }, cause: new Error('why') })
    expect(JSON.parse(JSON.stringify(error))).toEqual({ error: 'invalid_grant', error_description: 'No' })
    expect(error.detail).toEqual({ grantId: 'g' })
    expect(error.cause).toEqual(new Error('why'))
    expect(error.message).toBe('invalid_grant: No')
  })

  it('of the host is answered with its own status and headers, and told to the host with its detail', async () => {
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
