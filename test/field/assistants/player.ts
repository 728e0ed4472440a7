import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sign } from 'jsonwebtoken'
import { findChromium } from '../../../scripts/chromium'
import { newBrowser } from '../../support/browser'
import type { DocumentServer } from '../../support/document-server'
import type { SeededRandom } from '../../support/seeded-random'
import { allow } from '../../support/visit'
import type { Assistant, Found, SecretMethod, ServerMetadataAddress } from './assistant'
import { privateKey } from './publisher'
import { errorOfPage, Refused } from './refused'
import { submitForm } from './submit-form'

/** The members of metadata that assistants read. */
interface ServerMetadata {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  registration_endpoint?: string
  scopes_supported?: string[]
  token_endpoint_auth_methods_supported?: string[]
  client_id_metadata_document_supported?: boolean
}

interface Tokens {
  access_token: string
  refresh_token: string
  expires_in: number
  scope: string
}

interface ClientIdentity {
  client_id: string
  client_secret?: string | undefined
  method: 'none' | 'private_key_jwt' | SecretMethod
}

/** RFC 6749 section 5.2. */
interface ErrorResponse {
  error: string
  error_description: string
}

/** The addresses of a company: of its API, which a customer pastes, and its issuer, which somebody has to enter for an own client. */
interface Company {
  api: string
  issuer: string
}

/** Time, as the tests let it pass. */
interface Clock {
  advance(seconds: number): void
}

const noMetadata = 'There is no authorization server metadata where it looks'

// The longest delay of one of several requests at once, in milliseconds.
const jitter = 25

/** Plays an assistant: sends what it sends, in its order, to a host of which it knows only the address of the API. */
export class Player {
  readonly #assistant: Assistant
  readonly #pasted: string
  readonly #issuer: string
  readonly #documents: DocumentServer
  readonly #clock: Clock
  readonly #random: SeededRandom
  #found: Found | undefined
  #server: ServerMetadata | undefined
  #client: ClientIdentity | undefined
  #tokens: Tokens | undefined
  #firstRefreshToken = ''

  /** @param documents Where its metadata document is published. */
  constructor(
    assistant: Assistant,
    { api, issuer }: Company,
    documents: DocumentServer,
    clock: Clock,
    random: SeededRandom,
  ) {
    this.#assistant = assistant
    this.#pasted = assistant.plays.pastes?.(api) ?? api
    this.#issuer = issuer
    this.#documents = documents
    this.#clock = clock
    this.#random = random
  }

  /** How it has become a client. */
  get connectedBy(): Assistant['connects'] {
    if (this.#assistant.host?.client) return 'own client'
    return this.#identity.client_id.startsWith('http') ? 'document' : 'registration'
  }

  /** The scope that it was granted. */
  get scope(): string {
    return this.#credentials.scope
  }

  /** From the pasted address to the first access token. */
  async connect(): Promise<void> {
    await this.#discover()
    this.#client = await this.#becomeClient()
    const verifier = randomBytes(32).toString('base64url')
    const callback = await this.#visitPage(verifier)
    this.#tokens = await this.#exchange(callback.get('code') ?? '', verifier)
    this.#firstRefreshToken = this.#tokens.refresh_token
  }

  /** Calls the tool of the API. @returns The status and the text of the answer. */
  async callTool(accessToken = this.#credentials.access_token): Promise<{ status: number; text: string }> {
    const response = await this.#request(accessToken)
    return { status: response.status, text: await response.text() }
  }

  /** Refreshes once, in its manner, when its access token has expired or is about to. */
  async refresh(): Promise<void> {
    const { when, atOnce = 1, later = 0, presents = 'newest' } = this.#plays.refresh
    this.#clock.advance(this.#credentials.expires_in + (when === 'before' ? -30 : 1))
    if (when === 'refused') {
      const { status } = await this.callTool()
      if (status !== 401) throw new Error(`An expired access token is answered with ${status}`)
    }
    const presented = presents === 'first' ? this.#firstRefreshToken : this.#credentials.refresh_token
    const processes = Array.from({ length: atOnce }, async () => {
      if (atOnce > 1) await delay(this.#random.next() * jitter)
      // The token of the last answer stays, as with processes that write one file.
      this.#tokens = await this.#redeemRefreshToken(presented)
      return this.#tokens
    })
    const received = await Promise.all(processes)
    if (later > 0) {
      this.#clock.advance(later)
      received.push(await this.#redeemRefreshToken(presented))
    }
    for (const { access_token } of received) {
      const { status } = await this.callTool(access_token)
      if (status !== 200) throw new Error(`A new access token is answered with ${status}`)
    }
  }

  get #plays(): Assistant['plays'] {
    return this.#assistant.plays
  }

  get #known(): Found {
    return required(this.#found)
  }

  get #metadata(): ServerMetadata {
    return required(this.#server)
  }

  get #identity(): ClientIdentity {
    return required(this.#client)
  }

  get #credentials(): Tokens {
    return required(this.#tokens)
  }

  #request(accessToken?: string): Promise<Response> {
    return fetch(this.#pasted, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...(accessToken !== undefined && { Authorization: `Bearer ${accessToken}` }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'who_am_i', arguments: {} },
      }),
    })
  }

  async #discover(): Promise<void> {
    const refused = await this.#request()
    if (refused.status !== 401) throw new Error(`A request without a token is answered with ${refused.status}`)
    const challenge = refused.headers.get('www-authenticate') ?? ''
    const said = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1]
    const { origin, pathname } = new URL(this.#pasted)
    const wellKnown = `${origin}/.well-known/oauth-protected-resource`
    const places = { challenge: said('resource_metadata') ?? '', path: wellKnown + pathname, root: wellKnown }
    const resource = await firstDocument(this.#plays.resourceMetadata.map((place) => places[place]))
    const [announcedIssuer = origin] = (resource?.authorization_servers as string[] | undefined) ?? []
    const issuer = this.#plays.resourceMetadata.length > 0 ? announcedIssuer : this.#issuer
    const server = await firstDocument(this.#plays.serverMetadata.map((place) => addressOf(place, issuer)))
    if (!server) throw new Error(noMetadata)
    this.#server = server as unknown as ServerMetadata
    if (this.#server.issuer !== issuer) throw new Error(`The metadata is of ${this.#server.issuer}`)
    this.#found = {
      pasted: this.#pasted,
      challenged: said('scope'),
      announced: resource?.resource as string | undefined,
      scopesOfResource: (resource?.scopes_supported as string[] | undefined) ?? [],
      scopesOfServer: this.#server.scopes_supported ?? [],
    }
  }

  async #becomeClient(): Promise<ClientIdentity> {
    const { document, registers, needsSecretFor } = this.#plays
    const own = this.#assistant.host?.client
    if (own)
      return { client_id: own.clientId, client_secret: this.#assistant.host?.secret, method: needsSecretFor ?? 'none' }
    const methods = this.#metadata.token_endpoint_auth_methods_supported ?? []
    if (document && this.#metadata.client_id_metadata_document_supported) {
      const signs = document.jwksPath !== undefined && methods.includes('private_key_jwt')
      const method = signs ? 'private_key_jwt' : 'none'
      if (methods.includes(method)) {
        return { client_id: document.unreachableAt ?? this.#documents.url(document.path), method }
      }
    }
    if (!registers) throw new Error('It has no other way to become a client')
    const response = await fetch(await this.#registrationEndpoint(), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(registers(this.#known)),
    })
    const body = (await response.json()) as ErrorResponse & {
      client_id: string
      client_secret?: string
      token_endpoint_auth_method: ClientIdentity['method']
    }
    if (response.status !== 201) throw new Refused('registration', body.error, body.error_description)
    if (needsSecretFor && body.client_secret === undefined) {
      throw new Refused(
        'registration',
        body.token_endpoint_auth_method,
        'It needs a secret, and the registration has none',
      )
    }
    return { ...body, method: body.token_endpoint_auth_method }
  }

  async #registrationEndpoint(): Promise<string> {
    const { registration_endpoint: announced = '' } = this.#metadata
    if (!this.#plays.registersAtOrigin) return announced
    const root = await firstDocument([addressOf('rfc8414 of the origin', announced)])
    if (!root) throw new Error(noMetadata)
    return root.registration_endpoint as string
  }

  async #visitPage(verifier: string): Promise<URLSearchParams> {
    const { redirectUri, scope, resource, parameters, pkce } = this.#plays
    const state = randomBytes(16).toString('base64url')
    const url = new URL(this.#metadata.authorization_endpoint)
    const asked = {
      response_type: 'code',
      client_id: this.#identity.client_id,
      redirect_uri: redirectUri,
      ...(pkce !== false && {
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      }),
      state,
      scope: scope(this.#known),
      resource: resource(this.#known, 'page'),
      ...parameters,
    }
    url.search = formOf(asked).toString()
    const callback = await (inBrowser(this.#assistant) ? pressInBrowser(url, redirectUri) : submitForm(url))
    if (!callback.href.startsWith(redirectUri)) throw new Error(`The browser is sent to ${callback.href}`)
    const answer = callback.searchParams
    if (answer.get('state') !== state) throw new Error('The state is another one')
    if (answer.get('iss') !== this.#metadata.issuer) throw new Error('The response is of another issuer')
    const error = answer.get('error')
    if (error !== null) throw new Refused('page', error, answer.get('error_description') ?? '')
    return answer
  }

  #exchange(code: string, verifier: string): Promise<Tokens> {
    const { redirectUri, resource, exchange, pkce } = this.#plays
    return this.#token('exchange', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: pkce === false ? undefined : verifier,
      resource: resource(this.#known, 'exchange'),
      ...exchange,
    })
  }

  #redeemRefreshToken(refreshToken: string): Promise<Tokens> {
    const { resource, refresh } = this.#plays
    return this.#token('refresh', {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      resource: resource(this.#known, 'refresh'),
      scope: refresh.scope?.(this.#known, this.#credentials.scope),
    })
  }

  /** Sends a form to the token endpoint, with the authentication that was agreed. */
  async #token(at: 'exchange' | 'refresh', form: Record<string, string | undefined>): Promise<Tokens> {
    const { client_id, client_secret = '', method } = this.#identity
    const basic = Buffer.from(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`).toString(
      'base64',
    )
    const response = await fetch(this.#metadata.token_endpoint, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'application/json',
        ...(method === 'client_secret_basic' && { Authorization: `Basic ${basic}` }),
      },
      body: formOf({
        ...form,
        ...(method !== 'client_secret_basic' && { client_id }),
        ...(method === 'client_secret_post' && { client_secret }),
        ...(method === 'private_key_jwt' && assertionOf(client_id, this.#metadata.issuer)),
      }).toString(),
    })
    const body = (await response.json()) as ErrorResponse & Tokens
    if (response.status !== 200) throw new Refused(at, body.error, body.error_description)
    return body
  }
}

/** RFC 7523 section 2.2. */
function assertionOf(clientId: string, audience: string): Record<string, string> {
  const assertion = sign({}, privateKey, {
    algorithm: 'RS256',
    issuer: clientId,
    subject: clientId,
    audience,
    expiresIn: 300,
    jwtid: randomUUID(),
  })
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  }
}

/** The first of several addresses that answers with a document. */
async function firstDocument(addresses: readonly string[]): Promise<Record<string, unknown> | undefined> {
  for (const address of addresses) {
    const response = await fetch(address, {
      headers: { Accept: 'application/json', 'MCP-Protocol-Version': '2025-11-25' },
    })
    if (response.status === 200) return (await response.json()) as Record<string, unknown>
    await response.body?.cancel()
  }
  return undefined
}

function addressOf(place: ServerMetadataAddress, issuer: string): string {
  const { origin, pathname } = new URL(issuer)
  return {
    rfc8414: `${origin}/.well-known/oauth-authorization-server${pathname}`,
    'rfc8414 appended': `${issuer}/.well-known/oauth-authorization-server`,
    'openid inserted': `${origin}/.well-known/openid-configuration${pathname}`,
    'openid appended': `${issuer}/.well-known/openid-configuration`,
    'rfc8414 of the origin': `${origin}/.well-known/oauth-authorization-server`,
  }[place]
}

/**
 * Whether the page is opened in a real browser; in CI there must be one. There is no app here to which a browser could hand an address of
 * its own, and no server at the address of an assistant that is refused: then the player submits the form itself.
 */
function inBrowser({ plays, refused }: Assistant): boolean {
  return !refused && /^https?:/.test(plays.redirectUri) && (Boolean(process.env.CI) || findChromium() !== undefined)
}

/** Opens the page in a real browser and presses Allow. The assistant's own page is answered here. */
async function pressInBrowser(url: URL, redirectUri: string): Promise<URL> {
  const context = await newBrowser()
  try {
    const page = await context.newPage()
    await context.route(
      ({ href }) => href.startsWith(redirectUri),
      (route) => route.fulfill({ contentType: 'text/html', body: '<h1>Back in the assistant</h1>' }),
    )
    const response = await page.goto(url.href)
    if (response?.status() !== 200) throw errorOfPage(await page.content())
    await allow(page)
    await page.getByRole('heading', { name: 'Back in the assistant' }).waitFor()
    return new URL(page.url())
  } finally {
    await context.close()
  }
}

function formOf(fields: Record<string, string | undefined>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The assistant is not that far yet')
  return value
}
