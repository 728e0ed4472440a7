import request from 'supertest'
import { denialReasons } from '../../src/protocol/reasons'
import { Authorization, asTheySay, expectRedirect } from '../support/authorization'
import { started } from '../support/started'
import { textOf } from './pages'

const page = textOf('docs/troubleshooting.md')

describe('docs/troubleshooting.md', () => {
  it('has the message of Codex 0.143 to 0.146, which drop the iss that is promised and sent, and what the operator sees', async () => {
    const host = await started({ authenticate: asTheySay })
    const metadata = await request(host.url).get('/.well-known/oauth-authorization-server/v1/acme/oauth')
    expect(metadata.body.authorization_response_iss_parameter_supported).toBe(true)
    const authorization = new Authorization(host)
    const redirect = expectRedirect(await authorization.answer(await authorization.form(), 'allow'))
    expect(redirect.searchParams.get('iss')).toBe(host.issuer())
    // Codex stops here, and says so in its own words.
    expect(await host.told('allowed')).toHaveLength(1)
    for (const type of ['issued', 'denied', 'error'] as const) expect(await host.told(type)).toEqual([])
    const said = `Authorization server response missing required issuer: expected ${host.issuer()}`
    expect(page).toContain(said.replace(host.url, 'https://your.host'))
    expect(page).toMatch(/Codex 0\.143 to 0\.146.*\*\*Update Codex\*\* to 0\.147 or later/)
  })

  it('names only reasons that there are', () => {
    const named = [...page.matchAll(/`([a-z]+_[a-z]+)`/g)].map(([, name]) => name)
    const reasons = named.filter((name = '') => !name.startsWith('client_secret_'))
    expect(reasons.length).toBeGreaterThan(3)
    for (const reason of reasons) expect(denialReasons).toContain(reason)
  })
})
