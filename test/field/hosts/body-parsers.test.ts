import type { CustomerSignIn, CustomerSignInEvent } from 'customer-sign-in'
import express, { type RequestHandler } from 'express'
import express4 from 'express4'
import request from 'supertest'
import { Authorization, expectRedirect } from '../../support/authorization'
import { codeForm, HostApp, postToken, refreshForm, signedInTo, testSignIn } from '../../support/host-app'
import { expectError, expectTokens, formBody } from '../../support/sign-in'

const form = 'application/x-www-form-urlencoded'

/** Body parsers that a host may have mounted in front of the router. */
function parsersOf({ json, raw, text, urlencoded }: Omit<typeof express, never>): [string, RequestHandler[]][] {
  return [
    ['express.urlencoded({ extended: true })', [urlencoded({ extended: true })]],
    ['express.urlencoded({ extended: false })', [urlencoded({ extended: false })]],
    ['express.json()', [json()]],
    ['express.json() and express.urlencoded({ extended: true })', [json(), urlencoded({ extended: true })]],
    ['express.text() of everything', [text({ type: '*/*' })]],
    ['express.raw() of everything', [raw({ type: '*/*' })]],
    ['a parser that makes URLSearchParams', [text({ type: '*/*' }), changed((body) => new URLSearchParams(body))]],
    ['a parser that leaves bytes', [text({ type: '*/*' }), changed((body) => new TextEncoder().encode(body))]],
  ]
}

/** Middleware that makes something else of a text. */
function changed(make: (body: string) => unknown): RequestHandler {
  return (req, _res, next) => {
    if (typeof req.body === 'string') req.body = make(req.body)
    next()
  }
}

describe.each([
  ['Express 5', express],
  ['Express 4', express4],
])('%s', (_name, framework) => {
  describe.each(parsersOf(framework))('behind %s', (_parsers, parsers) => {
    let signIn: CustomerSignIn
    let host: HostApp
    let issuer: string
    beforeAll(async () => {
      host = await HostApp.start((baseUrl) => {
        signIn = testSignIn({ baseUrl })
        return framework().use(...parsers, signIn)
      })
      issuer = `${host.origin}/v1/acme/oauth`
    })
    afterAll(() => host.stop())

    const codeForms = async () => codeForm(await signedInTo(signIn))

    it('exchanges a code and refreshes', async () => {
      const { refresh_token } = expectTokens(await postToken(issuer, await codeForms()))
      expectTokens(await postToken(issuer, refreshForm(refresh_token)))
    })

    it.each(['client_id', 'code', 'code_verifier'])('refuses a repeated %s, and keeps the code', async (name) => {
      const fields = await codeForms()
      const repeated = postToken(issuer, { ...fields, [name]: [fields[name] ?? '', 'another'] })
      expect(expectError(await repeated, 400, 'invalid_request')).toContain(name)
      expectTokens(await postToken(issuer, fields))
    })

    it('accepts a resource that is named twice', async () => {
      expectTokens(await postToken(issuer, { ...(await codeForms()), resource: [issuer, issuer] }))
    })

    it.each(['code[]', 'code[0]', 'code[value]', 'code[][]'])(
      'does not read structure into %s, and keeps the code',
      async (name) => {
        const { code, ...fields } = await codeForms()
        expectError(await postToken(issuer, { ...fields, [name]: code }), 400, 'invalid_request')
        expectTokens(await postToken(issuer, { ...fields, code }))
      },
    )

    it('refuses JSON', async () => {
      const response = await request(issuer)
        .post('/token')
        .send(await codeForms())
      expect(expectError(response, 400, 'invalid_request')).toContain(form)
    })

    it('refuses more than 16 KiB', async () => {
      const padded = { ...(await codeForms()), padding: 'x'.repeat(16 * 1024) }
      expectError(await postToken(issuer, padded), 413, 'invalid_request')
    })

    it('accepts a chunked body', async () => {
      const body = formBody(await codeForms())
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { 'Content-Type': form },
        body: new Blob([body.slice(0, 40), body.slice(40)]).stream(),
        duplex: 'half',
      })
      expect(response.status).toBe(200)
    })
  })
})

describe('behind middleware that reads a body and leaves it nowhere', () => {
  let host: HostApp
  let issuer: string
  const events: CustomerSignInEvent[] = []
  beforeAll(async () => {
    host = await HostApp.start((baseUrl) => {
      const signIn = testSignIn({
        baseUrl,
        authenticate: () => ({ subject: 'customer-1' }),
        onEvent: (event) => events.push(event),
      })
      const reading: RequestHandler = (req, _res, next) => void req.resume().once('end', () => next())
      return express().use(reading, signIn)
    })
    issuer = `${host.origin}/v1/acme/oauth`
  })
  afterEach(() => events.splice(0))
  afterAll(() => host.stop())

  /** What the operator is told. */
  const told = {
    type: 'error',
    reason: 'misconfigured',
    tenantKey: 'acme',
    error: expect.objectContaining({
      message: expect.stringMatching(/^customer-sign-in: req\.body is not set, but .* mount signIn before that/),
    }),
  }

  it.each([
    ['token', form, formBody(refreshForm('csir_'))],
    ['revoke', form, formBody({ token: 'csir_' })],
    ['register', 'application/json', '{"redirect_uris":["https://acme.example/"]}'],
  ])('I/%s blames no client, and tells the operator what to do', async (endpoint, type, body) => {
    const response = await request(issuer).post(`/${endpoint}`).set('Content-Type', type).send(body)
    const description = expectError(response, 500, 'server_error')
    expect(description).toBe('Customer sign-in is misconfigured at this address')
    expect(events).toMatchObject([{ ...told, where: endpoint }])
  })

  it('the consent form ends in server_error at the client, and tells the operator what to do', async () => {
    const authorization = new Authorization({ url: host.origin })
    const { searchParams } = expectRedirect(await authorization.answer(await authorization.form()))
    expect(searchParams.get('error')).toBe('server_error')
    expect(searchParams.get('error_description')).toBe('Customer sign-in is misconfigured at this address')
    expect(events).toMatchObject([{ ...told, where: 'authorize' }])
  })
})
