import { Authorization } from '../../support/authorization'
import { consentForm } from '../../support/consent-form'
import { codeForm } from '../../support/host-app'
import { expectTokens, type FormFields, formBody, type Tokens } from '../../support/sign-in'
import type { WireClient, WireRequest, WireResponse } from '../../support/wire-client'
import type { ServedHost } from './mountings'

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** A client of a host under test, and the browser of its customers. */
export class HostClient {
  readonly #client: WireClient
  readonly #origin: string
  readonly #prefix: string

  /** @param prefix Where sign-in is mounted. */
  constructor(host: ServedHost, prefix: string) {
    this.#client = host.connect()
    this.#origin = host.origin
    this.#prefix = prefix
  }

  get issuer(): string {
    return this.#origin + this.#issuerPath
  }

  get #issuerPath(): string {
    return `${this.#prefix}/v1/acme/oauth`
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  send(request: WireRequest): Promise<WireResponse> {
    return this.#client.send(request)
  }

  get(path: string, headers: Record<string, string> = {}): Promise<WireResponse> {
    return this.send({ path, headers })
  }

  /** Sends a form to an endpoint. @param more Replaces parts of the request. */
  post(endpoint: string, fields: FormFields, more: Partial<WireRequest> = {}): Promise<WireResponse> {
    const request = { method: 'POST', path: `${this.#issuerPath}/${endpoint}`, body: formBody(fields), ...more }
    return this.send({ ...request, headers: { ...form, ...more.headers } })
  }

  register(body: string): Promise<WireResponse> {
    return this.post('register', {}, { headers: { 'Content-Type': 'application/json' }, body })
  }

  /** Begins a request to the token endpoint, and hangs up. */
  hangUp(): Promise<void> {
    return this.#client.hangUp({
      method: 'POST',
      path: `${this.#issuerPath}/token`,
      headers: form,
      body: 'grant_type=',
    })
  }

  callApi(accessToken: string, tenantKey = 'acme'): Promise<WireResponse> {
    return this.get(`${this.#prefix}/v1/${tenantKey}/bookings`, { Authorization: `Bearer ${accessToken}` })
  }

  authorization(parameters: FormFields = {}): Authorization {
    return new Authorization({ url: this.#origin }, parameters)
  }

  /** A customer opens the client's link, and presses a button on the consent page. @returns Where the browser is sent. */
  async answers({ path }: Authorization, decision: string, subject = 'customer-1'): Promise<URL> {
    const headers = { Cookie: `customer=${subject}` }
    const page = await this.get(this.#prefix + path, headers)
    expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
    const { action, token } = consentForm(page)
    const { pathname, search } = new URL(action, this.#origin + this.#prefix + path)
    const body = formBody({ consent_token: token, decision })
    const answer = await this.send({ method: 'POST', path: pathname + search, headers: { ...headers, ...form }, body })
    expect(answer.status).toBe(303)
    return new URL(String(answer.headers.location))
  }

  /** A customer signs in and allows the request. @returns The form that redeems the code. */
  async signedIn(subject?: string, parameters?: FormFields): Promise<Record<string, string>> {
    const authorization = this.authorization(parameters)
    const { searchParams } = await this.answers(authorization, 'allow', subject)
    expect(searchParams.get('iss')).toBe(this.issuer)
    const code = searchParams.get('code') ?? ''
    return codeForm({ code, codeVerifier: authorization.codeVerifier, tenantKey: 'acme' })
  }

  /** A customer's first tokens. */
  async connected(subject?: string): Promise<Tokens> {
    return expectTokens(await this.post('token', await this.signedIn(subject)))
  }
}
