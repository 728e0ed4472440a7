import { type ConsentHook, type ConsentRequest, MemoryTenantStore } from 'customer-sign-in'
import express, { type RequestHandler } from 'express'
import request from 'supertest'
import { Authorization, asTheySay, expectErrorRedirect } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { DocumentServer, publishing } from '../../support/document-server'
import { HostApp, testSignIn } from '../../support/host-app'
import { recordsOf } from '../../support/records'
import { registered } from '../../support/registration'
import { expectTokens, type FormFields, formBody, redirectUri, type TestSignIn, tenants } from '../../support/sign-in'
import { started } from '../../support/started'

const clientUri = 'https://assistant.example/'

afterEach(releaseClock)

/** A page that is nothing but its proof, and whose form says yes or no. */
const proofAlone: ConsentHook = (_req, res, { form, proof }) => {
  if (form) return form.get('answer') === 'yes'
  res.end(proof)
  return undefined
}

/** A host with such a page, and what its hook is told. */
async function ownPage(options: object = {}, hook: ConsentHook = proofAlone) {
  const asked: ConsentRequest[] = []
  const consent: ConsentHook = (req, res, request) => {
    asked.push(request)
    return hook(req, res, request)
  }
  return { host: await started({ authenticate: asTheySay, pages: { consent } }, options), asked }
}

/** Opens the page. @returns Its proof. */
async function proofOf(authorization: Authorization, customer?: string): Promise<string> {
  return (await authorization.open(customer).expect(200)).text
}

/** Submits a form to the page. */
function submit(host: { url: string }, { path }: Authorization, fields: FormFields) {
  return request(host.url).post(path).type('form').send(formBody(fields))
}

const grantsAt = (host: TestSignIn) => recordsOf(host.tokenStore)

describe('the host’s own consent page', () => {
  it('is told whether the company vouches for the client, and who publishes its document', async () => {
    const { host, asked } = await ownPage({ clients: { documents: 'with-loopback' } })
    const server = await DocumentServer.start()
    for (const client_id of [undefined, await registered(host), server.url()]) {
      await new Authorization(host, client_id === undefined ? {} : { client_id }).open().expect(200)
    }
    const told = asked.map(({ vouchedFor, publisher, language }) => ({ vouchedFor, publisher, language }))
    expect(told).toEqual([
      { vouchedFor: true, publisher: undefined, language: 'en' },
      { vouchedFor: false, publisher: undefined, language: 'en' },
      { vouchedFor: false, publisher: new URL(server.origin).host, language: 'en' },
    ])
  })

  it('is told the language that the library’s own page would have', async () => {
    const { host, asked } = await ownPage()
    await new Authorization(host, { ui_locales: 'de-AT' }).open()
    expect(asked).toMatchObject([{ language: 'de', form: undefined }])
  })

  it.each([
    ['yes', 'a code'],
    ['no', 'access_denied'],
  ])('that says %s in its form is followed by %s', async (answer) => {
    const { host } = await ownPage()
    const authorization = new Authorization(host)
    const response = await submit(host, authorization, { consent_token: await proofOf(authorization), answer })
    if (answer === 'no') expectErrorRedirect(response, 'access_denied', host.issuer())
    else expectTokens(await host.exchange(authorization.signedIn(response)))
  })

  it('gets every field of its form, those that are repeated, empty or in another script too', async () => {
    const { host, asked } = await ownPage()
    const authorization = new Authorization(host)
    const fields = { scope: ['profile', 'calendar'], note: '', name: 'Zoë & 花子 + 1' }
    await submit(host, authorization, { consent_token: await proofOf(authorization), answer: 'yes', ...fields })
    const { form } = asked.at(-1) ?? {}
    expect(form?.getAll('scope')).toEqual(['profile', 'calendar'])
    expect([form?.get('note'), form?.get('name'), form?.get('more')]).toEqual(['', 'Zoë & 花子 + 1', null])
  })

  it.each<[string, RequestHandler]>([
    ['express.urlencoded', express.urlencoded({ extended: true })],
    ['express.text', express.text({ type: () => true })],
    ['express.raw', express.raw({ type: () => true })],
  ])('gets its form behind %s', async (_, parser) => {
    const consent = jest.fn(proofAlone)
    const app = await HostApp.start((baseUrl) =>
      express().use(parser, testSignIn({ baseUrl, authenticate: asTheySay, pages: { consent } })),
    )
    const authorization = new Authorization({ url: app.origin })
    const consent_token = await proofOf(authorization)
    const more = { scope: ['profile', 'calendar'], 'nested[name]': 'x' }
    const { status } = await submit({ url: app.origin }, authorization, { consent_token, answer: 'yes', ...more })
    await app.stop()
    expect(status).toBe(303)
    const [, , told] = consent.mock.lastCall ?? []
    expect(told?.form?.getAll('scope')).toEqual(['profile', 'calendar'])
    expect(told?.form?.get('nested')).toBeNull()
  })
})

describe('a form of the host’s own page', () => {
  it.each<[string, (proof: string, other: string) => FormFields]>([
    ['without a proof', () => ({})],
    ['with an empty proof', () => ({ consent_token: '' })],
    ['with a proof of its own making', (proof) => ({ consent_token: proof.replace(/.$/, 'x') })],
    ['with the proof of another customer', (_, other) => ({ consent_token: other })],
  ])('is not given to the host %s: the page is shown again', async (_, forged) => {
    const { host, asked } = await ownPage()
    const authorization = new Authorization(host)
    const [proof, other] = [await proofOf(authorization), await proofOf(authorization, 'attacker')]
    const page = await submit(host, authorization, { answer: 'yes', ...forged(proof, other) }).expect(200)
    expect(asked.at(-1)).toMatchObject({ form: undefined, proof: page.text })
    expect(await grantsAt(host)).toEqual([])
    const again = await submit(host, authorization, { answer: 'yes', consent_token: page.text })
    expectTokens(await host.exchange(authorization.signedIn(again)))
  })

  it.each([
    ['of another request', { scope: 'calendar' }],
    ['of another client', { client_id: 'second-app' }],
  ])('is not given to the host with the proof %s', async (_, parameters) => {
    const [acme] = tenants
    const clients = [...(acme?.clients ?? []), { ...acme?.clients?.[0], clientId: 'second-app' }]
    const { host } = await ownPage({ tenantStore: new MemoryTenantStore([{ ...acme, key: 'acme', clients } as never]) })
    const authorization = new Authorization(host)
    const consent_token = await proofOf(new Authorization(host, parameters))
    await submit(host, authorization, { answer: 'yes', consent_token }).expect(200)
    expect(await grantsAt(host)).toEqual([])
  })

  it('is not given to the host after ten minutes', async () => {
    const clock = stopClock()
    const { host } = await ownPage()
    const authorization = new Authorization(host)
    const consent_token = await proofOf(authorization)
    clock.advance(600)
    await submit(host, authorization, { answer: 'yes', consent_token }).expect(200)
  })

  it('is not given to the host if the client asks for more by now than the page has shown', async () => {
    const acme = { ...tenants[0], key: 'acme', scopes: ['profile'] }
    const { host, asked } = await ownPage({ tenantStore: new MemoryTenantStore([acme]) })
    const authorization = new Authorization(host)
    const consent_token = await proofOf(authorization)
    acme.scopes = ['profile', 'payments']
    await submit(host, authorization, { answer: 'yes', consent_token }).expect(200)
    expect(asked.at(-1)).toMatchObject({ scopes: ['profile', 'payments'], form: undefined })
  })

  it.each<[string, object, { clients?: object[] }]>([
    ['names another page as its own', { client_uri: 'https://assistant.example/other' }, {}],
    ['names no page as its own', { client_uri: undefined }, {}],
    ['has another redirect URI', { redirect_uris: [redirectUri, 'https://assistant.example/second'] }, {}],
    ['is the company’s own', {}, { clients: [{ clientUri, clientName: 'Assistant', redirectUris: [redirectUri] }] }],
  ])('is not given to the host if the client by now %s', async (_, changes, { clients = [] }) => {
    const clock = stopClock()
    const document: Record<string, unknown> = { client_uri: clientUri }
    const server = await DocumentServer.start((self) => (req, res) => publishing(self, document)(req, res))
    const acme = { ...tenants[0], key: 'acme', clients: [] as object[] }
    const tenantStore = new MemoryTenantStore([acme as never])
    const { host, asked } = await ownPage({ tenantStore, clients: { documents: 'with-loopback' } })
    const authorization = new Authorization(host, { client_id: server.url() })
    const consent_token = await proofOf(authorization)
    Object.assign(document, changes)
    acme.clients = clients.map((client) => ({ ...client, clientId: server.url() }))
    // A document is kept for a minute.
    clock.advance(61)
    await submit(host, authorization, { answer: 'yes', consent_token }).expect(200)
    expect(asked.at(-1)).toMatchObject({ form: undefined, vouchedFor: clients.length > 0 })
    expect(await grantsAt(host)).toEqual([])
  })

  it('that another site submits is refused even if the host does not look at it', async () => {
    const { host } = await ownPage({}, () => true)
    const authorization = new Authorization(host)
    const response = await submit(host, authorization, { answer: 'yes' })
    expectErrorRedirect(response, 'temporarily_unavailable', host.issuer())
    const message = 'pages.consent returned true for a form whose consent_token is not the proof of a page'
    expect(await host.told('error')).toMatchObject([{ reason: 'hook_failed', error: { message } }])
    expect(await grantsAt(host)).toEqual([])
  })

  it('that another site submits can be refused by the host', async () => {
    const { host } = await ownPage({}, () => false)
    const response = await submit(host, new Authorization(host), { answer: 'no' })
    expectErrorRedirect(response, 'access_denied', host.issuer())
  })
})

describe('the host’s own page, submitted twice', () => {
  /** A page, and a customer who has answered it with yes. */
  async function answered() {
    const { host, asked } = await ownPage()
    const authorization = new Authorization(host)
    const consent_token = await proofOf(authorization)
    const press = (answer = 'yes') => submit(host, authorization, { answer, consent_token })
    return { host, asked, authorization, press, first: authorization.signedIn(await press()) }
  }

  it('gives the same code again until it is redeemed', async () => {
    const { host, authorization, press, first } = await answered()
    expect(authorization.signedIn(await press())).toEqual(first)
    expectTokens(await host.exchange(first))
  })

  it('is shown again after that, without the form, and its new proof gives another code', async () => {
    const { host, asked, authorization, press, first } = await answered()
    expectTokens(await host.exchange(first))
    const { text: consent_token } = await press().expect(200)
    expect(asked.at(-1)).toMatchObject({ form: undefined, proof: consent_token })
    const again = authorization.signedIn(await submit(host, authorization, { answer: 'yes', consent_token }))
    expect(again.code).not.toBe(first.code)
    expectTokens(await host.exchange(again))
  })

  it('is followed by access_denied if the host then refuses without asking', async () => {
    const consent: ConsentHook = (_req, res, { form, proof }) => {
      if (form) return true
      if (isClosed) return false
      res.end(proof)
      return undefined
    }
    let isClosed = false
    const { host } = await ownPage({}, consent)
    const authorization = new Authorization(host)
    const consent_token = await proofOf(authorization)
    const press = () => submit(host, authorization, { consent_token })
    expectTokens(await host.exchange(authorization.signedIn(await press())))
    isClosed = true
    expectErrorRedirect(await press(), 'access_denied', host.issuer())
    expect(await host.told('declined')).toHaveLength(1)
  })
})
