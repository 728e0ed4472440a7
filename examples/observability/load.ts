import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import { clientId, type Host, redirectUri } from './host'

interface Tokens {
  access_token: string
  refresh_token: string
}

/** The tokens of a customer whose first refresh token somebody else has seen, and when it was used. */
interface Stolen {
  first: Tokens
  second: Tokens
  at: number
}

/** Customers and their assistants: some sign in, all refresh, one is robbed, and now and then something is broken. */
export class Load {
  readonly #url: string
  readonly #host: Host
  readonly #documentUrl: string
  readonly #stolen: Stolen[] = []
  #customers = 0

  /** @param documentUrl The address of a client's metadata document. */
  constructor(url: string, host: Host, documentUrl: string) {
    this.#url = url
    this.#host = host
    this.#documentUrl = documentUrl
  }

  /** One of everything. */
  async round(): Promise<void> {
    await this.#get('/.well-known/oauth-authorization-server/v1/acme/oauth')
    const first = await this.signIn()
    const second = await this.refresh(first)
    await this.#get('/v1/acme/bookings', { Authorization: `Bearer ${second.access_token}` })
    await this.#get('/v1/acme/bookings')
    await this.#get('/v1/acme/bookings', { Authorization: 'Bearer forged' })
    this.#stolen.push({ first, second, at: Date.now() })
    await this.#steal()
    for (const client_id of [this.#documentUrl, `${this.#documentUrl}/gone`]) {
      await this.#get(`/v1/acme/oauth/authorize?${new URLSearchParams({ client_id, redirect_uri: redirectUri })}`)
    }
    await this.#get('/v1/globex/oauth/jwks')
    const customer = await this.signIn()
    for (const condition of ['down', 'slow'] as const) {
      this.#host.setStore(condition)
      await this.refresh(customer)
    }
    this.#host.setStore('well')
  }

  /** Thieves of first refresh tokens come too late, more than 10 seconds after these were used. That ends the grants, for the customers too. */
  async #steal(): Promise<void> {
    while (this.#stolen[0] && Date.now() > this.#stolen[0].at + 10_100) {
      const { first, second } = this.#stolen.shift() as Stolen
      await this.refresh(first)
      await this.refresh(second)
    }
  }

  /** A customer signs in. */
  async signIn(): Promise<Tokens> {
    const code_verifier = randomBytes(32).toString('base64url')
    const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const query = { response_type: 'code', client_id: clientId, redirect_uri: redirectUri, code_challenge }
    const path = `/v1/acme/oauth/authorize?${new URLSearchParams({ ...query, code_challenge_method: 'S256' })}`
    const response = await this.#get(path, { 'X-Customer': `customer-${++this.#customers}` })
    const code = new URL(response.headers.get('location') ?? '').searchParams.get('code') ?? ''
    return this.#token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier })
  }

  /** Their assistant refreshes. */
  refresh({ refresh_token }: Tokens): Promise<Tokens> {
    return this.#token({ grant_type: 'refresh_token', refresh_token })
  }

  #get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.#url + path, { headers, redirect: 'manual' })
  }

  async #token(parameters: Record<string, string>): Promise<Tokens> {
    const body = new URLSearchParams({ client_id: clientId, ...parameters })
    const response = await fetch(`${this.#url}/v1/acme/oauth/token`, { method: 'POST', body })
    return (await response.json()) as Tokens
  }
}

/** The web server of a client that has a metadata document at one of its addresses. */
export function documentServer(): Server {
  return createServer((req, res) => {
    if (req.url !== '/client.json') {
      res.writeHead(404).end()
      return
    }
    const document = {
      client_id: `http://${req.headers.host}${req.url}`,
      client_name: 'Calendar Assistant',
      redirect_uris: [redirectUri],
    }
    // It must be fetched again after a minute.
    res
      .writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=60' })
      .end(JSON.stringify(document))
  })
}
