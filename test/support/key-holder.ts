import type { IssueAuthorizationCodeRequest } from 'customer-sign-in'
import type { Response, Test } from 'supertest'
import { ProofKey } from '../../src/protocol/proof-key'
import { expectTokens, type FormFields, type TestSignIn, type Tokens } from './sign-in'

/** What a proof has in place of what is right. */
export interface WrongProof {
  claims?: Readonly<Record<string, unknown>>
  header?: Readonly<Record<string, unknown>>
}

/** A client of a test that proves a key with each request to the token endpoint (RFC 9449 section 5). */
export class KeyHolder {
  readonly key = new ProofKey()
  readonly #host: TestSignIn

  constructor(host: TestSignIn) {
    this.#host = host
  }

  /** A new proof for the token endpoint. */
  proof({ claims, header }: WrongProof = {}, tenantKey = 'acme'): string {
    const url = `${this.#host.issuer(tenantKey)}/token`
    return this.key.proof({ method: 'POST', url, now: Date.now() }, claims, header)
  }

  /** Adds a new proof to a request. */
  proving(request: Test, tenantKey = 'acme'): Test {
    return request.set('DPoP', this.proof({}, tenantKey))
  }

  refresh(refreshToken: string, overrides: FormFields = {}, tenantKey = 'acme'): Test {
    return this.proving(this.#host.refresh(refreshToken, overrides, tenantKey), tenantKey)
  }

  /** A customer's first tokens, which are bound to the key. */
  async connected(overrides: Partial<IssueAuthorizationCodeRequest> = {}): Promise<Tokens> {
    const signedIn = await this.#host.asCustomer(overrides)
    return bound(await this.proving(this.#host.exchange(signedIn), signedIn.tenantKey))
  }
}

/** Fails unless the response has tokens that are bound to a key. */
export function bound(response: Response): Tokens {
  return expectTokens(response, 'DPoP')
}
