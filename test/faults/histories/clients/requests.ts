import { ProofKey } from '../../../../src/protocol/proof-key'
import { type Act, type Actor, type Answer, type Exchange, type History, nameOf, type Who } from '../history'
import { type HttpAnswer, type HttpRequest, send } from './send'

// As the hosts are configured, whatever port a request goes to.
const baseUrl = 'https://assistants.example'

export const redirectUri = 'https://assistant.example/callback'

/** The campaign's number of a grant, and its owner. */
export interface Party extends Who {
  grant: number
  /** The key that its client proves, if it does (RFC 9449). */
  key?: ProofKey
}

/** Who sends a request to which host, and how. */
export interface Asking {
  by: Actor
  host: number
  forged?: true
  way?: string
}

/** What a client sees: the answer, and the credentials in full. */
export interface Seen {
  answer: Answer
  ended: number
  credential?: string
  accessToken?: string
  clientId?: string
}

/** Sends requests and records each in the history. */
export class Requests {
  readonly #history: History
  readonly #portOf: (host: number) => number
  /** The requests that a proxy may repeat, by the id that they carry. */
  readonly underWay = new Map<string, Exchange>()

  constructor(history: History, portOf: (host: number) => number) {
    this.#history = history
    this.#portOf = portOf
  }

  register(party: Party, asking: Asking): Promise<Seen> {
    const body = JSON.stringify({ redirect_uris: [redirectUri] })
    return this.#ask('register', party, asking, undefined, post(`${issuer(party)}/register`, 'application/json', body))
  }

  signIn(party: Party, codeChallenge: string, asking: Asking): Promise<Seen> {
    const { tenantKey, clientId, subject } = party
    const body = { tenantKey, clientId, subject, redirectUri, codeChallenge, codeChallengeMethod: 'S256' }
    return this.#own('sign-in', party, asking, '/host/codes', { ...body, scopes: 'profile calendar' })
  }

  redeemCode(party: Party, code: string, codeVerifier: string, asking: Asking): Promise<Seen> {
    const fields = { code, grant_type: 'authorization_code', redirect_uri: redirectUri, code_verifier: codeVerifier }
    return this.#form('redeem-code', party, asking, 'token', code, fields)
  }

  refresh(party: Party, token: string, asking: Asking, more: Record<string, string> = {}): Promise<Seen> {
    const fields = { refresh_token: token, grant_type: 'refresh_token', ...more }
    return this.#form('refresh', party, asking, 'token', token, fields)
  }

  api(party: Party, accessToken: string, asking: Asking): Promise<Seen> {
    const headers = { Authorization: `Bearer ${accessToken}` }
    return this.#ask('api', party, asking, accessToken, { method: 'GET', path: `/v1/${party.tenantKey}/mcp`, headers })
  }

  /** A client signs out over HTTP (RFC 7009). */
  revoke(party: Party, token: string, asking: Asking): Promise<Seen> {
    return this.#form('revoke', party, asking, 'revoke', token, { token })
  }

  /** The host revokes on behalf of its customer. */
  revokeByHost(party: Party, path: '/host/revoke' | '/host/revoke-all', which: object, asking: Asking): Promise<Seen> {
    return this.#own('revoke', party, asking, path, { tenantKey: party.tenantKey, ...which })
  }

  garbage(party: Party, request: HttpRequest, asking: Asking): Promise<Seen> {
    return this.#ask('refresh', party, { ...asking, forged: true }, undefined, request)
  }

  #form(
    act: Act,
    party: Party,
    asking: Asking,
    endpoint: 'token' | 'revoke',
    presented: string,
    fields: Record<string, string>,
  ): Promise<Seen> {
    const body = new URLSearchParams({ client_id: party.clientId, ...fields }).toString()
    const request = post(`${issuer(party)}/${endpoint}`, 'application/x-www-form-urlencoded', body)
    return this.#ask(act, party, asking, presented, request)
  }

  #own(act: Act, party: Party, asking: Asking, path: string, body: object): Promise<Seen> {
    return this.#ask(act, party, asking, undefined, post(path, 'application/json', JSON.stringify(body)))
  }

  /** Sends a request as a client with a key does: if a clock is wrong, once more with the nonce of the answer. A thief has other keys, or none. */
  async #sendProving(port: number, request: HttpRequest, { key }: Party, by: Actor): Promise<HttpAnswer> {
    const isRevocation = request.path.endsWith('/revoke') || request.path.startsWith('/host/')
    const proven = by === 'thief' ? (this.#history.nextId() % 2 === 0 ? new ProofKey() : undefined) : key
    if (!key || !proven || isRevocation) return send(port, request)
    const first = await send(port, proving(request, proven))
    if (first.nonce === undefined) return first
    return send(port, proving(request, proven, first.nonce))
  }

  async #ask(
    act: Act,
    party: Party,
    { by, host, forged, way }: Asking,
    presented: string | undefined,
    request: HttpRequest,
  ): Promise<Seen> {
    const { grant, tenantKey, clientId, subject, key } = party
    const id = this.#history.nextId()
    const about = { kind: 'exchange' as const, id, by, act, grant, host, begun: this.#history.now() }
    const exchange: Exchange = { ...about, ended: Number.POSITIVE_INFINITY, answer: 'timeout' }
    if (presented !== undefined) exchange.presented = nameOf(presented)
    if (forged) exchange.forged = true
    if (key) exchange.bound = true
    if (way !== undefined) exchange.way = way
    this.underWay.set(String(id), exchange)
    const headers = { ...request.headers, 'X-Exchange': String(id) }
    const given = await this.#sendProving(this.#portOf(host), { ...request, headers }, party, by)
    const { body } = given
    // The network has sent the same proof a second time, and that came first: nobody has the result.
    const wasRepeated = by !== 'thief' && body?.error_description === 'The DPoP proof has been used already'
    const answer = wasRepeated ? 'lost' : given.answer
    this.underWay.delete(String(id))

    const seen = credentialsIn(answer, body)
    Object.assign(exchange, { ended: this.#history.now(), answer }, written(act, body, seen))
    if (act === 'sign-in') exchange.gave = { ...exchange.gave, who: { tenantKey, clientId, subject } }
    this.#history.add(exchange)
    return { answer, ended: exchange.ended, ...seen, ...(body?.client_id && { clientId: body.client_id }) }
  }
}

/** A request with a proof of a key. */
function proving({ headers, ...request }: HttpRequest, key: ProofKey, nonce?: string): HttpRequest {
  const [scheme, token] = headers?.Authorization?.split(' ') ?? []
  const about = { method: request.method, url: baseUrl + request.path, accessToken: token, now: Date.now() }
  const DPoP = key.proof(about, nonce === undefined ? {} : { nonce })
  return { ...request, headers: { ...headers, ...(scheme && { Authorization: `DPoP ${token}` }), DPoP } }
}

/** What the history keeps of an answer. */
export function written(act: Act, body: HttpBody, seen: Pick<Seen, 'credential' | 'accessToken'>): Partial<Exchange> {
  const { credential, accessToken } = seen
  const who = accessToken !== undefined ? whoOf(accessToken) : act === 'api' && body?.subject ? body : undefined
  const gave = {
    ...(credential !== undefined && { credential: nameOf(credential) }),
    ...(accessToken !== undefined && { accessToken: nameOf(accessToken) }),
    ...(who !== undefined && { who }),
  }
  return {
    ...(Object.keys(gave).length > 0 && { gave }),
    ...(body?.error && { error: `${body.error}: ${body.error_description}` }),
  }
}

/** The credentials of a success: a code, or the tokens. */
export function credentialsIn(answer: Answer, body: HttpBody): Pick<Seen, 'credential' | 'accessToken'> {
  if (answer !== 200) return {}
  const credential = body?.refresh_token ?? body?.code
  return {
    ...(credential !== undefined && { credential }),
    ...(body?.access_token !== undefined && { accessToken: body.access_token }),
  }
}

type HttpBody = Awaited<ReturnType<typeof send>>['body']

/** The claims of an access token about its grant. Only the API checks the signature. */
export function whoOf(accessToken: string): Who {
  const payload = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
  const { sub, client_id, tenant_id, grant_id } = payload
  return { subject: sub, clientId: client_id, tenantKey: tenant_id, grantId: grant_id }
}

function issuer({ tenantKey }: Who): string {
  return `/v1/${tenantKey}/oauth`
}

function post(path: string, contentType: string, body: string): HttpRequest {
  return { method: 'POST', path, headers: { 'Content-Type': contentType }, body }
}
