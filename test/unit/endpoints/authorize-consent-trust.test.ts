import { type ClientRule, MemoryTenantStore } from 'customer-sign-in'
import { Authorization, asTheySay } from '../../support/authorization'
import { consentForm, textOf } from '../../support/consent-form'
import { DocumentServer } from '../../support/document-server'
import { recordsOf } from '../../support/records'
import { registered } from '../../support/registration'
import { clientId, expectTokens, redirectUri, tenants } from '../../support/sign-in'
import { started } from '../../support/started'

describe('consent', () => {
  it('is asked for a client that registered itself, even if the tenant’s own clients need none', async () => {
    const host = await started({ authenticate: asTheySay, pages: { consent: false } })
    await new Authorization(host).open().expect(303)
    const client_id = await registered(host)
    consentForm(await new Authorization(host, { client_id }).open().expect(200))
  })

  it('is asked for with a word of caution, except for a client of the tenant’s own', async () => {
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    const server = await DocumentServer.start()
    const caution = 'has not checked this app'
    const publisher = `Published by${new URL(server.origin).host}`
    const shown = async (client_id: string) => {
      const text = textOf((await new Authorization(host, { client_id }).open().expect(200)).text)
      return { isCautious: text.includes(caution), isPublished: text.includes(publisher) }
    }
    expect(await shown(clientId)).toEqual({ isCautious: false, isPublished: false })
    expect(await shown(await registered(host))).toEqual({ isCautious: true, isPublished: false })
    expect(await shown(server.url())).toEqual({ isCautious: true, isPublished: true })
  })

  it('says of a known assistant where it is, unless any app on the device can be the one that asks', async () => {
    const client_id = 'https://assistant.example/client.json'
    const redirect_uris = [redirectUri, 'http://127.0.0.1/callback']
    const document = { client_id, client_name: 'Assistant', redirect_uris }
    const clients = { fetch: async () => Response.json(document), known: [{ document }] }
    const host = await started({ authenticate: asTheySay, clients })
    const shown = async (parameters: { client_id?: string; redirect_uri: string }) =>
      textOf((await new Authorization(host, { client_id, ...parameters }).open().expect(200)).text)
    expect(await shown({ redirect_uri: redirectUri })).toContain(
      'This is “Assistant”, at assistant.example. Acme has not checked this app. Allow it only if you have just asked it',
    )
    for (const other of [
      { redirect_uri: 'http://127.0.0.1:41234/callback' },
      { client_id: await registered(host, { client_name: 'Assistant' }), redirect_uri: redirectUri },
    ]) {
      const text = await shown(other)
      expect(text).toContain('Acme has not checked this app')
      expect(text).not.toContain('This is')
    }
  })

  it('says of a name that mixes letters of several scripts that it does', async () => {
    const host = await started({ authenticate: asTheySay })
    for (const [client_name, isMixed] of [
      ['Сlаude', true],
      ['Claude', false],
    ] as const) {
      const client_id = await registered(host, { client_name })
      const text = textOf((await new Authorization(host, { client_id }).open().expect(200)).text)
      expect(text.includes('The name of the app mixes letters of several alphabets. Acme has not')).toBe(isMixed)
    }
  })

  it('is asked for once about an app that the company has named, if what it gets reaches nobody else', async () => {
    const client_id = 'https://assistant.example/client.json'
    const redirect_uris = [redirectUri, 'http://127.0.0.1/callback']
    const document = { client_id, client_name: 'Assistant', redirect_uris }
    const asksTwice = async (allowedClients: ClientRule, redirect_uri: string) => {
      const tenantStore = new MemoryTenantStore([{ key: 'acme', allowedClients }])
      const clients = { fetch: async () => Response.json(document) }
      const host = await started({ authenticate: asTheySay, tenantStore, clients })
      const { text } = await new Authorization(host, { client_id, redirect_uri }).open().expect(200)
      return text.includes('class="press first twice"')
    }
    for (const named of [{ clientIds: [client_id] }, { documentHosts: ['assistant.example'] }]) {
      expect(await asksTwice(named, redirectUri)).toBe(false)
      expect(await asksTwice(named, 'http://127.0.0.1:41234/callback')).toBe(true)
    }
  })

  it('counts only for what the page has shown: if that changes, the customer is asked again', async () => {
    const acme = { ...tenants[0], key: 'acme', scopes: ['profile'] }
    const host = await started({ authenticate: asTheySay, tenantStore: new MemoryTenantStore([acme]) })
    const authorization = new Authorization(host)
    const form = await authorization.form()
    acme.scopes = ['profile', 'payments']
    const asked = consentForm(await authorization.answer(form).expect(200))
    expect(await recordsOf(host.tokenStore)).toEqual([])
    const { scope } = expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(asked))))
    expect(scope).toBe('profile payments')
  })

  it('counts no more once the client can be another than an app on this device', async () => {
    const client = { clientId: 'app', redirectUris: ['http://127.0.0.1/callback'] }
    const acme = { key: 'acme', id: 'acme', clients: [client] }
    const host = await started({ authenticate: asTheySay, tenantStore: { findTenant: () => acme } })
    const parameters = { client_id: 'app', redirect_uri: 'http://127.0.0.1/callback' }
    const authorization = new Authorization(host, parameters)
    const page = await authorization.open()
    client.redirectUris.push('https://assistant.example/callback')
    const asked = await authorization.answer(consentForm(page))
    await authorization.answer(consentForm(asked)).expect(303)
  })
})
