import { createHash, generateKeyPairSync } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { Duplex } from 'node:stream'

type Library = typeof import('customer-sign-in')
type Handle = (req: IncomingMessage, res: ServerResponse) => unknown

/** Sends the one request of a sample that is looked at. @returns The body of the response. */
type Look = (send: () => Promise<string>) => Promise<string>

export type SampleName = keyof ReturnType<typeof sampleRequests>

/** The folder of the build. */
export const dist = join(__dirname, '../../dist/')

export const loadBuild = (): Library => require(`${dist}index.js`)

const issuer = '/v1/acme/oauth'
const clientId = 'assistant'
const redirectUri = 'https://assistant.test/callback'
const formType = { 'content-type': 'application/x-www-form-urlencoded' }
const verifier = 'v'.repeat(43)
const challenge = createHash('sha256').update(verifier).digest('base64url')

/** Each sends a request of its kind to a host with grants in memory, without a network, and fails unless it is answered well. */
export function sampleRequests({ createCustomerSignIn, MemoryTenantStore, MemoryTokenStore }: Library, look: Look) {
  const clients = [{ clientId, redirectUris: [redirectUri] }]
  const signIn = createCustomerSignIn({
    tenantStore: new MemoryTenantStore([{ key: 'acme', id: 'acme', name: 'Acme', clients }]),
    tokenStore: new MemoryTokenStore(),
    baseUrl: 'https://app.test',
    keys: { signing: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey] },
    authenticate: () => ({ subject: 'customer' }),
    onEvent: () => {},
  })
  const guard = signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
  const guarded: Handle = (req, res) => guard(req, res, () => res.end('{}'))
  const query = `response_type=code&code_challenge=${challenge}&code_challenge_method=S256`
  const page = `${issuer}/authorize?${query}&client_id=${clientId}&redirect_uri=${encodeURIComponent(redirectUri)}`

  const get = (path: string) => exchange(signIn, 'GET', path)
  const post = (path: string, fields: Record<string, string>) =>
    exchange(signIn, 'POST', path, formType, `${new URLSearchParams(fields)}`)
  const token = (fields: Record<string, string>) => post(`${issuer}/token`, { client_id: clientId, ...fields })

  async function connected(): Promise<{ access_token: string; refresh_token: string }> {
    const challenged = { codeChallenge: challenge, codeChallengeMethod: 'S256' } as const
    const agreement = { tenantKey: 'acme', clientId, redirectUri, subject: 'customer', ...challenged }
    const { code } = await signIn.issueAuthorizationCode(agreement)
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectUri }
    return JSON.parse(await token(fields))
  }
  let last: Awaited<ReturnType<typeof connected>> | undefined

  return {
    async refresh() {
      const { refresh_token } = last ?? (await connected())
      last = JSON.parse(await look(() => token({ grant_type: 'refresh_token', refresh_token })))
    },
    authorize: () => look(() => get(page)),
    async allow() {
      const [, consentToken = ''] = /name="consent_token" value="([^"]+)"/.exec(await get(page)) ?? []
      await look(() => post(page, { consent_token: consentToken, decision: 'allow' }))
    },
    async guard() {
      const authorization = `Bearer ${(await connected()).access_token}`
      await look(() => exchange(guarded, 'GET', '/v1/acme/mcp', { authorization }))
    },
    register() {
      const metadata = JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' })
      return look(() =>
        exchange(signIn, 'POST', `${issuer}/register`, { 'content-type': 'application/json' }, metadata),
      )
    },
    metadata: () => look(() => get(`/.well-known/oauth-authorization-server${issuer}`)),
    /** A request that the library does not see, to compare with. */
    nothing: () => look(() => exchange((_req, res) => res.end('{}'), 'POST', issuer, formType)),
  }
}

/** Hands a request to a handler as `node:http` does. @returns The body of the response. */
function exchange(handle: Handle, method: string, url: string, headers: object = {}, body = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    let written = ''
    const socket = new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        written += chunk
        done()
      },
    }) as Socket
    const req = new IncomingMessage(socket)
    Object.assign(req, { method, url, httpVersionMajor: 1, httpVersionMinor: 1, complete: true })
    Object.assign(req.headers, { host: 'app.test', 'content-length': `${body.length}` }, headers)
    req.push(body)
    req.push(null)
    const res = new ServerResponse(req)
    res.assignSocket(socket)
    res.once('finish', () => {
      if (res.statusCode < 400) resolve(written.slice(written.indexOf('\r\n\r\n') + 4))
      else reject(new Error(`${method} ${url}: ${written}`))
    })
    handle(req, res)
  })
}
