import { isObject } from '../configuration/checks'

/** The claim of access tokens that says which trusted issuer has vouched for their subject. No claim of the host's has this name. */
export const trustedIssuerClaim = 'trusted_issuer'

/** What the grant of an assertion keeps of it, in the place of the claim. */
export interface KeptAssertion {
  issuer: string
  /** A hash of its `jti`. */
  jti: string
  /** The attempt that has stored the grant. */
  attempt: string
}

type WithClaims = { claims?: Readonly<Record<string, unknown>> | undefined }

/** The assertion that a grant rests on, if it rests on one. */
export function assertionOf({ claims }: WithClaims): KeptAssertion | undefined {
  const kept = claims?.[trustedIssuerClaim]
  return isObject(kept) && typeof kept.issuer === 'string' ? (kept as unknown as KeptAssertion) : undefined
}

/** The trusted issuer that has vouched for a grant's subject, as a member of what is told of the grant. */
export function issuerOfGrant(grant: WithClaims): { issuer: string } | undefined {
  const kept = assertionOf(grant)
  return kept && { issuer: kept.issuer }
}

/** Whether two grants with one id are of one attempt to store it. Of an id that is random there is only one. */
export function isSameAttempt(one: WithClaims, other: WithClaims): boolean {
  return assertionOf(one)?.attempt === assertionOf(other)?.attempt
}
