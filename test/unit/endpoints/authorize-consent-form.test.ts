import { MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorRedirect } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { type ConsentForm, consentForm } from '../../support/consent-form'
import { recordsOf } from '../../support/records'
import { registered } from '../../support/registration'
import { clientId, expectTokens, redirectUri, type TestSignIn, tenants } from '../../support/sign-in'
import { started } from '../../support/started'

const signedIn = (options: object = {}) => started({ authenticate: asTheySay, ...options })
const grantsAt = (host: TestSignIn) => recordsOf(host.tokenStore)

afterEach(releaseClock)

describe('a submitted consent form has no effect', () => {
  const oneCharacterOff = (text: string, position: number) =>
    `${text.slice(0, position)}${text[position] === 'A' ? 'B' : 'A'}${text.slice(position + 1)}`

  it.each<[what: string, forge: (token: string) => string]>([
    ['with an empty token', () => ''],
    ['with junk for a token', () => 'junk'],
    ['with a token of the right form', () => `9999999999999.${'A'.repeat(16)}.${'A'.repeat(43)}`],
    ['with a token that was made to last', (token) => token.replace(/^\d+/, '9999999999999')],
    ['with another random part', (token) => oneCharacterOff(token, 16)],
    ['with another proof', (token) => oneCharacterOff(token, 40)],
    ['with half a proof', (token) => token.slice(0, -20)],
    ['with more before the token', (token) => `1${token}`],
    ['with more behind the token', (token) => `${token}A`],
    ['with a line feed behind the token', (token) => `${token}\n`],
  ])('%s', async (_, forge) => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const form = await authorization.form()
    await expectAskedAgain(authorization, host, { ...form, token: forge(form.token) })
  })

  it.each(['allow', 'deny'] as const)('without a token: %s', async (decision) => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const { text, status } = await request(host.url).post(authorization.path).type('form').send(`decision=${decision}`)
    expect(status).toBe(200)
    expect(consentForm({ text }).token).not.toBe('')
    expect(await grantsAt(host)).toEqual([])
  })

  it('with the token of another customer', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const { token } = await authorization.form('attacker')
    await expectAskedAgain(authorization, host, { ...(await authorization.form()), token })
  })

  it.each([
    ['of another client', { client_id: 'second-app' }],
    ['for more', { scope: 'profile' }],
    ['with another state', { state: 'another' }],
    ['with another code challenge', { code_challenge: 'c'.repeat(43) }],
    ['for another address', { redirect_uri: 'https://assistant.example/second' }],
    ['with a parameter more', { more: '1' }],
  ])('with the token of another request: %s', async (_, other) => {
    const redirectUris = [redirectUri, 'https://assistant.example/second']
    const clients = [clientId, 'second-app'].map((id) => ({ clientId: id, redirectUris }))
    const tenantStore = new MemoryTenantStore([{ key: 'acme', id: 'acme', scopes: ['profile', 'calendar'], clients }])
    const host = await signedIn({ tenantStore })
    const authorization = new Authorization(host)
    const { token } = await new Authorization(host, {
      ...Object.fromEntries(new URLSearchParams(authorization.query)),
      ...other,
    }).form()
    await expectAskedAgain(authorization, host, { ...(await authorization.form()), token })
  })

  it('with the token of another tenant', async () => {
    // Both tenants have the same client and the same API, so that nothing else differs.
    const resource = 'https://api.example/mcp'
    const shared = { clients: [{ clientId, redirectUris: [redirectUri] }], resources: [resource] }
    const tenantStore = new MemoryTenantStore(['acme', 'globex'].map((key) => ({ key, id: key, ...shared })))
    const host = await signedIn({ tenantStore })
    const authorization = new Authorization(host, { resource })
    const { query } = authorization
    const { text } = await request(host.url).get(`/v1/globex/oauth/authorize?${query}`).expect(200)
    await expectAskedAgain(authorization, host, { action: `?${query}`, token: consentForm({ text }).token })
  })

  it('once the tenant’s key has passed to another company', async () => {
    const [acme] = tenants
    let id = 'company-1'
    const host = await signedIn({ tenantStore: { findTenant: (key: string) => ({ ...acme, key, id }) } })
    const authorization = new Authorization(host)
    const form = await authorization.form()
    id = 'company-2'
    await expectAskedAgain(authorization, host, form)
  })

  it('with the token of another server', async () => {
    const [host, other] = [await signedIn(), await signedIn({ keys: { credentialSecrets: ['9876543210'.repeat(4)] } })]
    const authorization = new Authorization(host)
    const { text } = await request(other.url).get(authorization.path).expect(200)
    await expectAskedAgain(authorization, host, {
      action: `?${authorization.query}`,
      token: consentForm({ text }).token,
    })
  })

  it('after ten minutes, and not before', async () => {
    const clock = stopClock()
    const host = await signedIn()
    const authorization = new Authorization(host)
    const form = await authorization.form()
    clock.advance(599)
    expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(form))))
    clock.advance(1)
    consentForm(await authorization.answer(form).expect(200))
  })

  it('with the form in the query of the URL', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const { token } = await authorization.form()
    await request(host.url).get(`${authorization.path}&consent_token=${token}&decision=allow`).expect(200)
    await request(host.url).post(`${authorization.path}&consent_token=${token}&decision=allow`).type('form').expect(200)
    expect(await grantsAt(host)).toEqual([])
  })

  const types = ['text/plain', 'multipart/form-data; boundary=x', 'application/json']
  const form = 'application/x-www-form-urlencoded'
  it.each([
    ...types.map((type) => [`of the type ${type}`, type, '&decision=allow']),
    ['with two decisions', form, '&decision=allow&decision=allow'],
    ['of 17 KiB', form, `&decision=allow&more=${'x'.repeat(17 * 1024)}`],
  ])('%s, and sends the browser nowhere', async (_, type, rest) => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const { token } = await authorization.form()
    const body = `consent_token=${token}${rest}`
    const page = await request(host.url).post(authorization.path).set('Content-Type', type).send(body).expect(200)
    expect(page.headers).not.toHaveProperty('location')
    expect(consentForm(page).token).not.toBe('')
    expect(await grantsAt(host)).toEqual([])
  })

  async function expectAskedAgain(authorization: Authorization, host: TestSignIn, form: ConsentForm): Promise<void> {
    const page = await authorization.answer(form).expect(200)
    expect(page.headers).not.toHaveProperty('location')
    expect(await grantsAt(host)).toEqual([])
    const again = consentForm(page)
    expect(again.token).not.toBe(form.token)
    expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(again))))
  }
})

describe('a submitted consent form', () => {
  it('that may have been meant for another page is shown again, with the buttons elsewhere', async () => {
    const host = await signedIn()
    const client_id = await registered(host)
    const authorization = new Authorization(host, { client_id })
    const first = await authorization.open().expect(200)
    expect(first.text).toMatch(/<\/dl>.*<form.*value="confirm" aria-label="Allow".*value="allow" aria-label="Allow"/s)

    const again = await authorization.answer(consentForm(first), 'confirm').expect(200)
    expect(again.text).toMatch(/<form.*value="allow" aria-label="Allow".*<\/dl>/s)
    expect(again.text).not.toContain('value="confirm"')
    expect(again.text).toContain('has not checked this app')
    expect(await grantsAt(host)).toEqual([])
    const allowed = authorization.signedIn(await authorization.answer(consentForm(again)))
    expectTokens(await host.exchange(allowed, { client_id }))
  })

  it('that another site makes the browser send does not lead to the page with the buttons elsewhere', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host, { client_id: await registered(host) })
    const page = await authorization.answer({ ...(await authorization.form()), token: 'junk' }, 'confirm').expect(200)
    expect(page.text).toContain('value="confirm"')
  })

  it('that says Deny is reported to the client', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    expectErrorRedirect(await authorization.answer(await authorization.form(), 'deny'), 'access_denied', host.issuer())
    expect(await grantsAt(host)).toEqual([])
  })

  it('that says neither Allow nor Deny counts as Deny', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const { action, token } = await authorization.form()
    for (const decision of ['', '&decision=', '&decision=Allow', '&decision=allow+']) {
      const call = request(`${host.url}${authorization.path.split('?')[0]}${action}`)
        .post('')
        .type('form')
      expectErrorRedirect(await call.send(`consent_token=${token}${decision}`), 'access_denied', host.issuer())
    }
    expect(await grantsAt(host)).toEqual([])
  })

  it('is accepted by every process with the same secrets, also while the secrets rotate', async () => {
    const [oldSecret, newSecret] = ['9876543210'.repeat(4), '0123456789'.repeat(4)]
    const tokenStore = new MemoryTokenStore()
    const shared = { tokenStore, baseUrl: 'https://assistant.example' }
    const first = await signedIn({ ...shared, keys: { credentialSecrets: [oldSecret] } })
    const second = await signedIn({ ...shared, keys: { credentialSecrets: [newSecret, oldSecret] } })
    const authorization = new Authorization(first)
    const { token } = await authorization.form()
    const fields = { consent_token: token, decision: 'allow' }
    const response = await request(second.url).post(authorization.path).type('form').send(fields)
    expectTokens(await second.exchange(authorization.signedIn(response)))
  })
})
