import { ConfigurationError } from '../configuration/configuration-error'
import { digest } from '../protocol/digest'
import { isAssertionAlgorithm, isSignedBy, type Signer } from '../protocol/json-web-keys'
import { misconfigured, type OAuthError, oauthError } from '../protocol/oauth-error'
import type { DenialReason } from '../protocol/reasons'
import { isResource } from '../protocol/resource'
import { isScopeToken } from '../protocol/scope'
import { isTime, readJwt, type UnverifiedJwt } from '../protocol/unverified-jwt'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import type { IssuerKeys } from './issuer-keys'
import { byHost, type CheckedIssuer, isNameOf, issuerFault } from './trusted-issuer'

// Seconds. That the clocks of issuers may differ from this process's.
const leeway = 60
// Seconds. A store remembers for an hour and a minute what was ended, and no assertion may outlive that.
const maxLifetime = 3600

const maxIdLength = 256
const maxNameLength = 512

/** An assertion of an issuer that the company trusts, which this client may present now. */
export interface Assertion {
  issuer: CheckedIssuer
  claims: Readonly<Record<string, unknown>> & { readonly sub: string }
  /** Whom the issuer speaks of, in its own words. */
  name: string
  /** A hash of the tenant, the issuer and its `jti`, as 43 characters. No other assertion has it. */
  id: string
  /** The `scope` that it is limited to. */
  scope: string | undefined
  /** The `resource` that it is limited to. Empty if it is for all. */
  resources: readonly string[]
  /** In milliseconds since 1970 by the issuer's clock. */
  issuedAt: number
  /** When no process takes it any more, in milliseconds since 1970. */
  goneAt: number
}

/** Whom an assertion must be for. */
interface Presented {
  /** Undefined if the request names no client. */
  clientId: string | undefined
  /** What the `aud` of a workload's assertion may be. */
  audiences: readonly string[]
  /** The thumbprint of the key that the request proves. */
  key: string | undefined
}

/**
 * The assertions of the issuers that companies trust: of a customer the Identity Assertion JWT Authorization Grant
 * (draft-ietf-oauth-identity-assertion-authz-grant), and of a workload a JWT as RFC 7523 section 3 has it.
 */
export class Assertions {
  readonly #keys: IssuerKeys
  readonly #hasMapping: boolean
  readonly #now: () => number

  /**
   * @param hasMapping Whether the host has the option `customerOf`.
   * @param now The clock, in milliseconds since 1970.
   */
  constructor(keys: IssuerKeys, hasMapping: boolean, now: () => number) {
    this.#keys = keys
    this.#hasMapping = hasMapping
    this.#now = now
  }

  /** Whether a company has an issuer whose assertions count. @param kind Those of customers, or of workloads. By default either. */
  areTaken({ policy }: ResolvedTenant, kind?: CheckedIssuer['kind']): boolean {
    return policy.trustedIssuers.some(
      (issuer) => (kind ?? issuer.kind) === issuer.kind && issuerFault(issuer, this.#hasMapping) === undefined,
    )
  }

  /**
   * Verifies an assertion. What needs no key comes first, so that a stranger's causes no fetch.
   *
   * @throws {OAuthError} `invalid_grant`; `temporarily_unavailable` if the keys of its issuer cannot be fetched now.
   */
  async verify(jws: string, presented: Presented, tenant: ResolvedTenant): Promise<Assertion> {
    const jwt = readJwt(jws)
    if (!jwt) throw refused('must be a signed JWT', undefined)
    const issuer = this.#issuerOf(jwt, tenant)
    const signer = signerOf(jwt, issuer)
    const assertion = this.#checked(jwt, issuer, presented, tenant)
    const keys = await this.#keys.find(issuer, signer, tenant.id)
    if (!isSignedBy(jws, signer, keys)) throw refused('is not signed with a key of its issuer', issuer)
    // A fetch of keys takes up to some seconds.
    this.#checkTimes(jwt, issuer)
    return assertion
  }

  /** The issuer that the company trusts. Others may have the same issuer with other terms. */
  #issuerOf({ claims: { iss } }: UnverifiedJwt, { key, policy }: ResolvedTenant): CheckedIssuer {
    const issuer = policy.trustedIssuers.find((trusted) => isNameOf(trusted, iss))
    if (!issuer) {
      throw refused('is of an issuer that the company does not trust', undefined, 'issuer_not_trusted', {
        asked: iss,
        accepted: policy.trustedIssuers.map((trusted) => trusted.issuer),
      })
    }
    const fault = issuerFault(issuer, this.#hasMapping)
    if (fault === 'not_pinned') throw notPinned(issuer)
    if (fault === undefined) return issuer
    const cause = new ConfigurationError('customerOf', undefined, 'a function', {
      says: `is missing: a trusted issuer of the tenant ${JSON.stringify(key)} has it as its subject`,
    })
    throw misconfigured('Customer sign-in is misconfigured at this address', cause)
  }

  #checked(jwt: UnverifiedJwt, issuer: CheckedIssuer, presented: Presented, tenant: ResolvedTenant): Assertion {
    const { claims } = jwt
    const { aud, jti, cnf, authorization_details: details, sub, scope } = claims
    const accepted = issuer.kind === 'customer' ? [tenant.address.issuer] : presented.audiences
    const [only, ...others] = [aud].flat()
    // Each of several audiences could use the assertion at the others.
    if (others.length > 0 || !accepted.includes(only as string)) {
      throw refused(`must have ${tenant.address.issuer} as its only aud`, issuer, undefined, { asked: aud, accepted })
    }
    checkClient(jwt, issuer, presented)
    checkPins(jwt, issuer)
    const times = this.#checkTimes(jwt, issuer)
    if (!isText(jti, maxIdLength)) throw refused(`must have a jti of 1 to ${maxIdLength} characters`, issuer)
    if (cnf !== undefined && (presented.key === undefined || Object(cnf).jkt !== presented.key)) {
      throw refused('is bound to a key by its cnf, which the request does not prove', issuer)
    }
    if (details !== undefined) throw refused('must not have authorization_details', issuer)
    if (!isText(sub, maxNameLength)) throw refused('must have a sub', issuer)
    if (scope !== undefined && !isScope(scope)) throw refused('must have scope tokens as scope', issuer)
    return {
      issuer,
      claims: { ...claims, sub },
      name: nameIn(jwt, issuer),
      id: digest('assertion', tenant.id, issuer.issuer, jti),
      scope,
      resources: resourcesIn(jwt, issuer),
      ...times,
    }
  }

  /** RFC 7523 section 3. */
  #checkTimes({ claims: { exp, iat, nbf = 0 } }: UnverifiedJwt, issuer: CheckedIssuer) {
    const now = this.#now() / 1000
    if (!isTime(exp) || exp > now + maxLifetime + leeway) throw refused('must have an exp within an hour', issuer)
    if (exp <= now - leeway) throw refused('has expired', issuer)
    if (!isTime(iat) || iat > now + leeway) throw refused('must have an iat that is not in the future', issuer)
    if (!isTime(nbf) || nbf > now + leeway) throw refused('must not have an nbf in the future', issuer)
    const maxAge = issuer.maxAge / 1000
    if (iat < now - maxAge - leeway) throw refused(`must have been issued in the last ${maxAge} seconds`, issuer)
    // The clocks of processes differ too.
    return { issuedAt: iat * 1000, goneAt: Math.ceil((exp + 2 * leeway) * 1000) }
  }
}

/** RFC 7515 section 4.1. Members such as `jwk`, `jku` and `x5u` are ignored: the keys come from the issuer. */
function signerOf({ header: { alg, kid, typ, crit } }: UnverifiedJwt, issuer: CheckedIssuer): Signer {
  if (!isAssertionAlgorithm(alg) || !issuer.algorithms.includes(alg)) {
    throw refused(`must have ${issuer.algorithms.join(', ')} as alg`, issuer)
  }
  if (kid !== undefined && typeof kid !== 'string') throw refused('must have a string as kid', issuer)
  if (crit !== undefined) throw refused('must not have crit', issuer)
  // A JWT that was signed for another purpose, such as an ID token, signs no customer in (RFC 8725 section 3.11).
  const type = typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : typ
  if (type === 'oauth-id-jag+jwt') return { alg, kid }
  if (issuer.kind === 'customer') throw refused('must have oauth-id-jag+jwt as typ', issuer)
  if (type !== undefined && type !== 'jwt') throw refused('must have JWT or oauth-id-jag+jwt as typ', issuer)
  return { alg, kid }
}

/** The client that asks must be the one that the issuer has named. A workload needs none. */
function checkClient({ claims }: UnverifiedJwt, issuer: CheckedIssuer, { clientId }: Presented): void {
  const { client_id: named } = claims
  const mayBeUnnamed = issuer.kind === 'workload' && named === undefined
  if (!mayBeUnnamed && (clientId === undefined || named !== clientId)) {
    throw refused('must have the client that presents it as client_id', issuer, 'wrong_client', {
      presentedBy: clientId,
      asked: named,
    })
  }
  const { clients } = issuer
  if (!clients || (clientId !== undefined && clients.includes(clientId))) return
  throw refused('may not be presented by this client', issuer, 'client_not_allowed', {
    rule: 'trustedIssuers.clients',
    clientId,
  })
}

function checkPins({ claims }: UnverifiedJwt, issuer: CheckedIssuer): void {
  for (const [claim, accepted] of Object.entries(issuer.claims)) {
    const said = Object.hasOwn(claims, claim) ? claims[claim] : undefined
    if (accepted.some((value) => value === said)) continue
    throw refused('does not say what the company requires', issuer, 'wrong_claim', { claim, accepted })
  }
  // The issuer tells its own companies apart by this claim, so that its subjects alone are nobody's.
  if (claims.tenant !== undefined && !Object.hasOwn(issuer.claims, 'tenant')) throw notPinned(issuer)
}

/** What an issuer calls a customer or a workload. */
function nameIn({ claims }: UnverifiedJwt, issuer: CheckedIssuer): string {
  const claim = issuer.subject === byHost ? 'sub' : issuer.subject
  const name = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (!isText(name, maxNameLength)) {
    throw refused('does not name its subject as the company requires', issuer, 'no_customer', { claim })
  }
  if (claim === 'email' && (claims.email_verified ?? true) !== true) {
    throw refused('must have a verified email', issuer, 'no_customer', { claim })
  }
  return name
}

function resourcesIn({ claims: { resource } }: UnverifiedJwt, issuer: CheckedIssuer): readonly string[] {
  if (resource === undefined) return []
  const resources: unknown[] = [resource].flat()
  const areUrls = resources.every((one): one is string => typeof one === 'string' && isResource(one))
  // An empty list is for no API.
  if (areUrls && resources.length > 0) return resources
  throw refused('must have absolute URLs as resource', issuer)
}

/** Text that every store can hold. */
function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && !/[\p{Cc}\p{Cs}]/u.test(value)
}

function isScope(value: unknown): value is string {
  return typeof value === 'string' && value.split(' ').every(isScopeToken)
}

function notPinned(issuer: CheckedIssuer): OAuthError {
  return refused('is of an issuer that serves many companies', issuer, 'issuer_not_pinned', {
    pinned: Object.keys(issuer.claims),
  })
}

/** The error for an assertion that is not taken. Nothing is used up. */
export function refused(
  problem: string,
  issuer: Pick<CheckedIssuer, 'issuer'> | undefined,
  reason: DenialReason = 'assertion_refused',
  detail: Record<string, unknown> = {},
): OAuthError {
  return oauthError('invalid_grant', `The assertion ${problem}`, {
    reason,
    detail: { ...(issuer && { issuer: issuer.issuer }), ...detail },
  })
}
