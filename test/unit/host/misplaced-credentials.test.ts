import { tracingChannel } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { type CustomerSignInEvent, MemoryTenantStore, newClientSecret } from 'customer-sign-in'
import { tokensFor } from 'customer-sign-in/testing'
import request, { type Test } from 'supertest'
import { logRequests } from '../../../src/debug/request-log'
import { ApiHost } from '../../support/api-host'
import { Authorization, asTheySay } from '../../support/authorization'
import { CompanyIssuer, jwtBearer } from '../../support/company-issuer'
import { assertionOf, basic, clientKey } from '../../support/confidential-clients'
import { OpenTelemetry } from '../../support/open-telemetry'
import { clientId, formBody, redirectUri, tenants } from '../../support/sign-in'

const kinds = [
  'code',
  'refresh token',
  'access token',
  'client secret',
  'client assertion',
  'identity assertion',
] as const

const disguises: [name: string, of: (credential: string) => string][] = [
  ['as it is', (credential) => credential],
  ['among words', (credential) => `profile ${credential} calendar`],
  ['behind a letter', (credential) => `x${credential}`],
  ['in the query of a URL', (credential) => `https://app.example/callback?a=b&code=${credential}&state=c`],
  ['in a URL in a URL', (credential) => inUrl(inUrl(credential))],
  ['in the path of a URL', (credential) => `https://127.0.0.1:9/${credential}`],
  ['in JSON', (credential) => JSON.stringify({ nested: [credential] })],
]

const inUrl = (text: string) => `https://app.example/?next=${encodeURIComponent(text)}`

const parameters = {
  authorize: [
    ...['client_id', 'redirect_uri', 'response_type', 'scope', 'state', 'resource', 'prompt', 'login_hint', 'nonce'],
    ...['code_challenge', 'code_challenge_method', 'ui_locales', 'request', 'request_uri', 'consent_token', 'decision'],
  ],
  token: [
    ...['grant_type', 'client_id', 'code', 'redirect_uri', 'code_verifier', 'refresh_token', 'scope', 'resource'],
    ...['client_secret', 'client_assertion', 'client_assertion_type', 'token', 'token_type_hint', 'assertion'],
  ],
  register: [
    ...['redirect_uris', 'client_name', 'client_uri', 'scope', 'grant_types', 'token_endpoint_auth_method'],
    ...['jwks_uri', 'jwks', 'software_id', 'client_id'],
  ],
}

/** A host that tells all that it can: by events, on channels, in the log of requests, by OpenTelemetry, in warnings and in errors. */
class TalkativeHost {
  /** What was told, and where. */
  readonly told: { where: string; what: unknown }[] = []
  readonly #telemetry: OpenTelemetry
  readonly #ends: (() => void)[]
  host!: ApiHost
  idp!: CompanyIssuer

  private constructor(telemetry: OpenTelemetry) {
    this.#telemetry = telemetry
    this.#ends = [logRequests((lines) => this.told.push({ where: 'the log', what: lines }))]
    for (const name of ['request', 'guard', 'store', 'fetch']) {
      const hear = (what: unknown) => this.told.push({ where: `the channel ${name}`, what: { ...Object(what) } })
      const subscribers = { start: hear, end: hear, asyncStart: hear, asyncEnd: hear, error: hear }
      const channel = tracingChannel(`customer-sign-in:${name}`)
      channel.subscribe(subscribers)
      this.#ends.push(() => channel.unsubscribe(subscribers))
    }
    const warnings = jest.spyOn(process, 'emitWarning')
    warnings.mockImplementation((...what) => void this.told.push({ where: 'a warning', what }))
    this.#ends.push(() => warnings.mockRestore())
  }

  static async start(secretHash: string): Promise<TalkativeHost> {
    const talkative = new TalkativeHost(await OpenTelemetry.start({ tenantLabel: (tenantKey) => tenantKey }))
    talkative.idp = await CompanyIssuer.start()
    const confidential = { clientId: 'confidential', redirectUris: [redirectUri], secretHashes: [secretHash] }
    const store = new MemoryTenantStore([
      ...tenants,
      {
        key: 'initech',
        id: 'initech',
        clients: [confidential, { clientId, redirectUris: [redirectUri] }],
        scopes: ['profile'],
        trustedIssuers: [talkative.idp.trusted()],
      },
    ])
    talkative.host = await ApiHost.start({
      tenantStore: {
        findTenant: (key) => {
          if (!key.startsWith('csi')) return store.findTenant(key)
          throw new Error(`The database knows no ${key}`)
        },
      },
      authenticate: (req, res, asked) => {
        if (asked.loginHint === undefined) return asTheySay(req, res, asked)
        throw new Error(`Nobody is called ${asked.loginHint} at ${decodeURIComponent(asked.url)}`)
      },
      clients: {
        authentication: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
        documents: 'with-loopback',
      },
      onEvent: (what: CustomerSignInEvent) => talkative.told.push({ where: 'an event', what }),
    })
    talkative.host.protect({ scopes: 'profile' })
    return talkative
  }

  /** Where a text was told. */
  async mentionsOf(text: string): Promise<string[]> {
    await new Promise((resolve) => setImmediate(resolve))
    const spans = this.#telemetry.spans.map(({ name, attributes, events, status }) => ({
      where: 'a span',
      what: { name, attributes, events, status },
    }))
    const metrics = { where: 'a metric', what: await this.#telemetry.metrics() }
    const mentions = [...this.told, ...spans, metrics].map(({ where, what }) => {
      const shown = inspect(what, { depth: null, maxStringLength: null, maxArrayLength: null, showHidden: true })
      const at = shown.indexOf(text)
      return at === -1 ? undefined : `${where}: ${shown.slice(Math.max(0, at - 200), at + 20)}`
    })
    return mentions.filter((mention) => mention !== undefined)
  }

  stop(): void {
    for (const end of this.#ends) end()
  }
}

/** Each request in which a client sends a text in one place where it does not belong. */
function* requestsWith(baseUrl: string, text: string): Generator<Test> {
  const at = request(baseUrl)
  const form = (path: string, fields: Record<string, string>) => at.post(path).type('form').send(formBody(fields))
  const names = (known: readonly string[]) => [...known, text]
  const sentAs = (name: string) => (name === text ? 'a value' : text)
  for (const name of names(parameters.authorize)) {
    const { path } = new Authorization({ url: baseUrl }, { [name]: sentAs(name) })
    yield at.get(path)
    yield at.get(`${path}&${new URLSearchParams([[name, 'twice']])}`)
    yield form(path, { decision: 'allow', consent_token: 'x', [name]: sentAs(name) })
  }
  const redeeming = { grant_type: 'refresh_token', client_id: clientId, refresh_token: 'x' }
  const exchanging = { grant_type: 'authorization_code', client_id: clientId, code: 'x', redirect_uri: redirectUri }
  for (const name of names(parameters.token)) {
    yield form('/v1/acme/oauth/token', { ...redeeming, [name]: sentAs(name) })
    yield form('/v1/acme/oauth/token', { ...exchanging, code_verifier: 'x'.repeat(43), [name]: sentAs(name) })
    yield form('/v1/acme/oauth/revoke', { client_id: clientId, token: 'x', [name]: sentAs(name) })
    yield form('/v1/initech/oauth/token', { ...redeeming, client_id: 'confidential', [name]: sentAs(name) })
    yield form('/v1/initech/oauth/token', { grant_type: jwtBearer, client_id: clientId, [name]: sentAs(name) })
  }
  for (const name of names(parameters.register)) {
    for (const value of [sentAs(name), [sentAs(name)]]) {
      yield at.post('/v1/acme/oauth/register').send({ redirect_uris: [redirectUri], [name]: value })
    }
  }
  yield at.post('/v1/acme/oauth/register').type('json').send(`{"redirect_uris": ${text}`)
  yield at.post('/v1/acme/oauth/token').type('json').send(text)
  const inPath = encodeURIComponent(text)
  for (const path of ['token', 'authorize', 'jwks']) yield at.get(`/v1/${inPath}/oauth/${path}?a=${inPath}`)
  yield at.get(`/.well-known/oauth-authorization-server/v1/${inPath}/oauth`)
  yield at.get(`/v1/${inPath}/mcp`)
  yield at.get(`/v1/acme/mcp/${inPath}?token=${inPath}`)
  const headers = [`Bearer ${text}`, basic(text, 'x'), basic('confidential', text), basic(text, text), text]
  for (const authorization of headers) {
    for (const path of ['/v1/acme/oauth/token', '/v1/initech/oauth/token', '/v1/acme/mcp', '/v1/acme/oauth/revoke'])
      yield form(path, { grant_type: 'refresh_token', refresh_token: 'x' }).set('Authorization', authorization)
  }
}

/** What a host's own code may do with what a client has sent. Each call rejects. */
function callsWith({ signIn }: ApiHost, text: string): (() => Promise<unknown>)[] {
  const asked = { tenantKey: 'acme', clientId, redirectUri, codeChallenge: 'x'.repeat(43), subject: 'customer-1' }
  const right = { ...asked, codeChallengeMethod: 'S256' as const }
  const wrong = [
    { clientId: text },
    { redirectUri: text },
    { scopes: [text] },
    { resource: text },
    { codeChallenge: text },
    { codeChallengeMethod: text as 'S256' },
    { tenantKey: text },
    { [text]: 'a value' },
  ]
  return [
    ...wrong.map((each) => async () => signIn.issueAuthorizationCode({ ...right, ...each })),
    () => signIn.verifyAccessToken(`${text}x`, { tenantKey: 'acme' }),
    () => signIn.verifyAccessToken(`${text}x`, { anyTenant: true }),
    () => signIn.verifier({ tenantKey: 'acme', invalidToken: (says) => new Error(says) }).verifyAccessToken(`${text}x`),
    () => signIn.grants.list({ tenantKey: text, subject: 'customer-1' }),
  ]
}

/** A credential of a kind that works at this host. */
async function credentialOf(kind: (typeof kinds)[number], { host, idp }: TalkativeHost, secret: string) {
  const { signIn, baseUrl } = host
  const terms = { tenantKey: 'acme', clientId, subject: 'customer-1' }
  const challenge = { redirectUri, codeChallenge: 'x'.repeat(43), codeChallengeMethod: 'S256' as const }
  const { accessToken, refreshToken } = await tokensFor(signIn, terms)
  return {
    code: (await signIn.issueAuthorizationCode({ ...terms, ...challenge })).code,
    'refresh token': refreshToken,
    'access token': accessToken,
    'client secret': secret,
    'client assertion': assertionOf(clientKey(), 'confidential', `${baseUrl}/v1/initech/oauth`),
    'identity assertion': idp.idJag(`${baseUrl}/v1/initech/oauth`),
  }[kind]
}

describe.each(kinds)('a %s that a client sends where it does not belong', (kind) => {
  it.each(disguises)('is told nowhere: %s', async (_, disguised) => {
    const { secret, hash } = newClientSecret()
    const talkative = await TalkativeHost.start(hash)
    const { host, told } = talkative
    const credential = await credentialOf(kind, talkative, secret)
    const text = disguised(credential)
    for (const sent of requestsWith(host.baseUrl, text)) await sent.redirects(0).ok(() => true)
    for (const call of callsWith(host, text)) {
      await call().catch((error) => told.push({ where: 'an error', what: error }))
    }
    expect(told.length).toBeGreaterThan(500)
    const middle = credential.slice(credential.length / 2 - 10, credential.length / 2 + 10)
    const mentions = await talkative.mentionsOf(middle)
    const placeholders = await talkative.mentionsOf(
      credential.startsWith('csi') ? `${credential.slice(0, 5)}...` : 'eyJ...',
    )
    talkative.stop()
    expect(mentions).toEqual([])
    expect(placeholders.length).toBeGreaterThan(20)
  })
})
