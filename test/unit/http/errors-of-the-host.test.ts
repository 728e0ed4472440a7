import { OAuthError } from 'customer-sign-in'
import { expectError, expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

describe('an OAuthError that the host throws', () => {
  it('becomes 503 if it cannot be sent, and the operator is told what is wrong with it', async () => {
    let headers: Record<string, string> = { 'X-Reason': 'two\r\nlines' }
    const host = await started({
      accessTokenClaims: () => {
        if (Object.keys(headers).length > 0) throw new OAuthError('invalid_grant', 'The customer has left', { headers })
        return {}
      },
    })
    const signedIn = await host.asCustomer()
    for (headers of [headers, { 'X Reason': '1' }, { 'Content-Length': '1' }, { 'X-Reason': 1 as never }]) {
      expectError(await host.exchange(signedIn), 503, 'temporarily_unavailable')
    }
    const said = (await host.told('error')).map(({ error }) => error.message)
    expect(said).toEqual(
      ['X-Reason', 'X Reason', 'Content-Length', 'X-Reason'].map(
        (name) => `An OAuthError cannot have this header: "${name}"`,
      ),
    )
    headers = {}
    expectTokens(await host.exchange(signedIn))
  })

  it('with a misspelt code becomes 503, signs nobody out, and tells the operator which codes there are', async () => {
    let code = 'invalid_grnt'
    const host = await started({
      accessTokenClaims: () => {
        if (code !== '') throw new OAuthError(code as 'invalid_grant', 'The customer has left')
        return {}
      },
    })
    const signedIn = await host.asCustomer()
    expectError(await host.exchange(signedIn), 503, 'temporarily_unavailable')
    const [event] = await host.told('error')
    expect(event?.reason).toBe('hook_failed')
    expect(event?.error.message).toMatch(
      /^The code of an OAuthError is "invalid_grnt" and must be one of .*invalid_grant/,
    )
    code = ''
    expectTokens(await host.exchange(signedIn))
  })

  it('is sent with the status of its code if its own is invalid', async () => {
    const host = await started({
      accessTokenClaims: () => {
        throw new OAuthError('invalid_grant', 'The customer has left', { status: 0 })
      },
    })
    expectError(await host.exchange(await host.asCustomer()), 400, 'invalid_grant')
  })

  it('is sent with each header once, however the host spells it, and no cache keeps it', async () => {
    const own = { 'cache-control': 'max-age=60', 'access-control-allow-origin': 'https://app.example' }
    const host = await started({
      accessTokenClaims: () => {
        throw new OAuthError('invalid_grant', 'The customer has left', { headers: own })
      },
    })
    const { headers } = await host.exchange(await host.asCustomer())
    expect(headers).toMatchObject({ ...own, 'cache-control': 'no-store' })
  })
})
