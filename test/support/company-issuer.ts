import { randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import type { CustomerSignInOptions, Tenant, TrustedIssuer } from 'customer-sign-in'
import { MemoryTenantStore } from 'customer-sign-in'
import { type AssertionChanges, assertionOf, type ClientKey, clientKey } from './confidential-clients'
import { DocumentServer } from './document-server'
import { clientId, type FormFields, redirectUri, type TestSignIn } from './sign-in'

export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** An identity provider of a company, which a test can change. It stops after the test. */
export class CompanyIssuer {
  key: ClientKey = clientKey()
  /** What its metadata has otherwise. */
  metadata: Record<string, unknown> = {}
  /** The keys that it publishes. Default: its own. */
  keys: readonly object[] | undefined
  status = 200
  headers: Record<string, string> = {}
  /** Where its metadata is. */
  discovery = '/.well-known/openid-configuration'
  readonly server: DocumentServer

  private constructor(server: DocumentServer) {
    this.server = server
  }

  static async start(): Promise<CompanyIssuer> {
    const made: CompanyIssuer[] = []
    const answer: RequestListener = (req, res) => void made[0]?.answer(req, res)
    const issuer = new CompanyIssuer(await DocumentServer.start(() => answer))
    made.push(issuer)
    return issuer
  }

  get issuer(): string {
    return this.server.origin
  }

  /** The paths that it was asked for. */
  get asked(): (string | undefined)[] {
    return this.server.requests.map(({ url }) => url)
  }

  /** What a company's record has of it. */
  trusted(changes: Partial<TrustedIssuer> = {}): TrustedIssuer {
    return { issuer: this.issuer, subject: 'sub', ...changes }
  }

  /** An ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant section 3.1), with these changes. */
  idJag(audience: string, { header, claims }: AssertionChanges = {}): string {
    const now = Math.floor(Date.now() / 1000)
    return assertionOf(this.key, clientId, audience, {
      header: { typ: 'oauth-id-jag+jwt', ...header },
      claims: {
        iss: this.issuer,
        sub: 'customer-1',
        client_id: clientId,
        exp: now + 300,
        jti: randomUUID(),
        ...claims,
      },
    })
  }

  /** The JWT of a workload, with these changes. */
  workload(audience: string, { header, claims }: AssertionChanges = {}): string {
    return this.idJag(audience, {
      header: { typ: 'JWT', ...header },
      claims: { sub: 'agent-7', client_id: undefined, org: 'org_1', ...claims },
    })
  }

  answer: RequestListener = (req, res) => {
    const { status, headers } = this
    const metadata = { issuer: this.issuer, jwks_uri: `${this.issuer}/keys`, ...this.metadata }
    const keys = { keys: this.keys ?? [this.key.jwk] }
    const body = req.url === this.discovery ? metadata : req.url === '/keys' ? keys : undefined
    res
      .writeHead(body ? status : 404, { 'Content-Type': 'application/json', ...headers })
      .end(JSON.stringify(body ?? {}))
  }
}

/** Options for a company that trusts issuers. */
export function trusting(
  trustedIssuers: readonly TrustedIssuer[],
  company: Partial<Tenant> = {},
): Partial<CustomerSignInOptions> {
  const clients = [{ clientId, redirectUris: [redirectUri] }]
  const acme = {
    key: 'acme',
    id: 'acme',
    name: 'Acme',
    clients,
    scopes: ['read', 'write'],
    trustedIssuers: [...trustedIssuers],
  }
  return {
    tenantStore: new MemoryTenantStore([{ ...acme, ...company }]),
    clients: { documents: 'with-loopback' },
  }
}

/** Presents an assertion. */
export function present(host: TestSignIn, assertion: string, fields: FormFields = {}) {
  return host.token('acme', { grant_type: jwtBearer, client_id: clientId, assertion, ...fields })
}
