import { randomBytes } from 'node:crypto'
import type { Customer, CustomerSignInOptions } from 'customer-sign-in'
import request, { type Response, type Test } from 'supertest'
import { codeChallengeOf } from '../../src/protocol/pkce'
import { type ConsentForm, consentForm } from './consent-form'
import { clientId, type FormFields, formBody, redirectUri, type SignedIn } from './sign-in'

type Authenticate = NonNullable<CustomerSignInOptions['authenticate']>

/** The session of a host whose visitors say themselves who they are; without a word they are `customer-1`. */
export const asTheySay: Authenticate = ({ headers }): Customer => ({
  subject: String(headers['x-customer'] ?? 'customer-1'),
})

/** An authorization request of a client, and the browser that carries it. */
export class Authorization {
  readonly codeVerifier = randomBytes(32).toString('base64url')
  readonly tenantKey: string
  readonly query: string
  readonly #host: { url: string }

  /** @param parameters Change single ones of a good request. */
  constructor(host: { url: string }, parameters: FormFields = {}, tenantKey = 'acme') {
    this.#host = host
    this.tenantKey = tenantKey
    this.query = formBody({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: codeChallengeOf(this.codeVerifier),
      code_challenge_method: 'S256',
      state: 'a state',
      ...parameters,
    })
  }

  get path(): string {
    return `/v1/${this.tenantKey}/oauth/authorize?${this.query}`
  }

  /** The browser comes with the request. */
  open(customer?: string): Test {
    return as(customer, request(this.#host.url).get(this.path))
  }

  /** The form of the page that asks for consent. */
  async form(customer?: string): Promise<ConsentForm> {
    return consentForm(await this.open(customer).expect(200))
  }

  /** The customer presses a button of a page. */
  answer(form: ConsentForm, decision: 'allow' | 'confirm' | 'deny' | undefined = 'allow', customer?: string): Test {
    const { href } = new URL(form.action, this.#host.url + this.path)
    const fields = formBody({ consent_token: form.token, decision })
    return as(customer, request(href).post('').type('form').send(fields))
  }

  /** The customer comes and allows it. */
  async allowed(customer?: string): Promise<SignedIn> {
    return this.signedIn(await this.answer(await this.form(customer), 'allow', customer))
  }

  /** What the client makes of the response that it is sent. */
  signedIn(response: Response): SignedIn {
    const code = expectRedirect(response).searchParams.get('code') ?? ''
    return { code, codeVerifier: this.codeVerifier, tenantKey: this.tenantKey }
  }
}

/** Where a response sends the browser: with 303, so that no form is sent on, kept by no cache, and without the request's address. */
export function expectRedirect({ status, headers }: Response): URL {
  expect({ status, ...headers }).toMatchObject({
    status: 303,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
  return new URL(headers.location ?? '')
}

/** Fails unless the client is sent this error, with its state and the issuer; gives the description. */
export function expectErrorRedirect(response: Response, error: string, issuer: string, state = 'a state'): string {
  const { origin, pathname, searchParams } = expectRedirect(response)
  expect(`${origin}${pathname}`).toBe(redirectUri)
  expect(Object.fromEntries(searchParams)).toEqual({
    error,
    error_description: expect.stringMatching(/^[\x20-\x21\x23-\x5B\x5D-\x7E]+$/),
    state,
    iss: issuer,
  })
  return searchParams.get('error_description') ?? ''
}

/** Fails unless the customer is shown an error page and the browser is sent nowhere; gives the page. */
export function expectErrorPage(response: Response, status = 400): string {
  expect({ status: response.status, ...response.headers }).toMatchObject({
    status,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
  expect(response.headers).not.toHaveProperty('location')
  expect(response.headers).not.toHaveProperty('refresh')
  expect(response.text).toContain('<h1>Sign-in cannot go on</h1>')
  return response.text
}

function as(customer: string | undefined, test: Test): Test {
  return customer === undefined ? test : test.set('X-Customer', customer)
}
