import { OAuthError } from 'customer-sign-in'
import { Authorization, asTheySay, expectErrorPage } from '../support/authorization'
import { textOf } from '../support/consent-form'
import { elementsOf } from '../support/html-elements'
import { started } from '../support/started'

const failing = (error: Error) =>
  started({ authenticate: asTheySay, tenantStore: { findTenant: () => Promise.reject(error) } })

describe('the error page', () => {
  it('tells the customer what to do, and the developer of the app what is wrong', async () => {
    const host = await started({ authenticate: asTheySay })
    const page = expectErrorPage(await new Authorization(host, { redirect_uri: 'https://evil.example' }).open())
    const text = textOf(page)
    expect(text).toContain('go back to the app')
    expect(text).toContain('redirect_uri is not registered for this client (unauthorized_client)')
    expect(elementsOf(page)).toEqual([
      ...['html lang', 'head', 'meta charset', 'meta name content', 'title', '/title', 'style', '/style', '/head'],
      ...['body', 'main', 'h1', '/h1', 'p', '/p', 'p class', '/p', '/main', '/body', '/html'],
    ])
  })

  it('asks for patience if the fault is not in the app', async () => {
    const host = await failing(new Error('The database is down at 10.0.0.5'))
    const response = await new Authorization(host).open()
    const text = textOf(expectErrorPage(response, 503))
    expect(text).toContain('try again in a moment')
    expect(text).not.toContain('10.0.0.5')
  })

  it('cannot be framed, runs no script, and is never cached', async () => {
    const host = await started({ authenticate: asTheySay })
    const { headers } = await new Authorization(host, { client_id: 'nobody' }).open()
    expect(headers).toMatchObject({
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[^']+'; .*frame-ancestors 'none'/,
      ),
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    })
    expect(headers).not.toHaveProperty('www-authenticate')
  })

  it('shows whatever a host’s own error says as text', async () => {
    const host = await failing(new OAuthError('not_found', '<script>alert(1)</script> & "more"', { status: 404 }))
    const page = expectErrorPage(await new Authorization(host).open(), 404)
    expect(elementsOf(page)).not.toContain('script')
    expect(textOf(page)).toContain("<script>alert(1)</script> & 'more'")
  })

  it('repeats nothing from the request', async () => {
    const host = await started({ authenticate: asTheySay })
    const phrase = 'Your account is locked, call 555-0100'
    for (const parameters of [{ client_id: phrase }, { redirect_uri: phrase }, { redirect_uri: '', state: phrase }]) {
      expect(expectErrorPage(await new Authorization(host, parameters).open())).not.toContain('555')
    }
  })
})
