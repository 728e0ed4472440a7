import { randomBytes } from 'node:crypto'
import type { Customer, CustomerSignInOptions } from 'customer-sign-in'
import request, { type Response, type Test } from 'supertest'
import { codeChallengeOf } from '../../src/protocol/pkce'
import { type ConsentForm, consentForm } from './consent-form'
import { clientId, type FormFields, formBody, redirectUri, type SignedIn } from './sign-in'

type Authenticate = NonNullable<CustomerSignInOptions['authenticate']>

/** The session of a host whose visitors say who they are; by default `customer-1`. */
export const asTheySay: Authenticate = ({ headers }): Customer => ({
  subject: String(headers['x-customer'] ?? 'customer-1'),
})

/** An authorization request of a client, and the browser that sends it. */
export class Authorization {
  readonly codeVerifier = randomBytes(32).toString('base64url')
  readonly tenantKey: string
  readonly query: string
  readonly #host: { url: string }

  /** @param parameters Replace single parameters of a valid request. */
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

  /** Sends the request from the browser. */
  open(customer?: string): Test {
    return as(customer, request(this.#host.url).get(this.path))
  }

  /** The form of the consent page. */
  async form(customer?: string): Promise<ConsentForm> {
    return consentForm(await this.open(customer).expect(200))
  }

  /** Submits a form as a customer does who presses a button. */
  answer(form: ConsentForm, decision: 'allow' | 'confirm' | 'deny' | undefined = 'allow', customer?: string): Test {
    const { href } = new URL(form.action, this.#host.url + this.path)
    const fields = formBody({ consent_token: form.token, decision })
    return as(customer, request(href).post('').type('form').send(fields))
  }

  /** Opens the page and presses Allow. */
  async allowed(customer?: string): Promise<SignedIn> {
    return this.signedIn(await this.answer(await this.form(customer), 'allow', customer))
  }

  /** What the client takes from the authorization response. */
  signedIn(response: Response): SignedIn {
    const code = expectRedirect(response).searchParams.get('code') ?? ''
    return { code, codeVerifier: this.codeVerifier, tenantKey: this.tenantKey }
  }
}

/** Fails unless a redirect is a 303 (so that no form is sent on), is not cached and sends no referrer. @returns Its target. */
export function expectRedirect({ status, headers }: Response): URL {
  expect({ status, ...headers }).toMatchObject({
    status: 303,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
  return new URL(headers.location ?? '')
}

/** Fails unless the client gets this error, with its state and the issuer. @returns The description. */
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

/** Fails unless the customer sees an error page, without a redirect. @returns The page. */
export function expectErrorPage(response: Response, status = 400): string {
  expect({ status: response.status, ...response.headers }).toMatchObject({
    status,
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
  expect(response.headers).not.toHaveProperty('location')
  expect(response.headers).not.toHaveProperty('refresh')
  expect(response.text).toContain('<h1>Sign-in did not work</h1>')
  return response.text
}

function as(customer: string | undefined, test: Test): Test {
  return customer === undefined ? test : test.set('X-Customer', customer)
}
