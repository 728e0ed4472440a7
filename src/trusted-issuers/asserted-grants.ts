import { randomUUID } from 'node:crypto'
import { PerMinute } from '../collections/per-minute'
import { partLength } from '../grants/credential'
import { DeletionInDoubt, type GrantOfOneToken, type Grants, grantOfOneToken } from '../grants/grants'
import type { GuardedStore } from '../host/guarded-store'
import { oauthError } from '../protocol/oauth-error'
import { trustedIssuerClaim } from '../protocol/trusted-issuer-claim'
import type { ResolvedTenant, TenantIdentity } from '../tenants/resolved-tenant'
import { type Assertion, refused } from './assertions'

// Milliseconds that the clock of an issuer may be ahead.
const leeway = 60_000
const maxUndecided = 1000
// Of one company in one process: an issuer makes up as many customers as it likes, and the store is everybody's.
const maxPerMinute = 6000

/**
 * The grants of assertions. There is at most one for each: its id follows from the assertion, so that storing it is what uses the assertion
 * up, in any number of processes. A note that the store keeps beside it still knows that when the grant has ended.
 */
export class AssertedGrants {
  readonly #grants: Grants
  readonly #store: GuardedStore
  readonly #now: () => number
  // The attempts of this process whose result no store has told: the client may come again with the same assertion.
  readonly #undecided = new Map<string, string>()

  readonly #perMinute = new PerMinute()

  constructor(grants: Grants, store: GuardedStore, now: () => number) {
    this.#grants = grants
    this.#store = store
    this.#now = now
  }

  /** Counts an assertion that was verified. @throws {OAuthError} `temporarily_unavailable` if its company has had its share of this minute. */
  checkShare({ id }: TenantIdentity): void {
    if (this.#perMinute.count({ [id]: maxPerMinute })) return
    throw oauthError('temporarily_unavailable', 'Too many assertions of this company', {
      headers: { 'Retry-After': String(this.#perMinute.secondsLeft) },
      reason: 'temporarily_unavailable',
    })
  }

  /** Makes the grant of an assertion, which is not stored yet. */
  draft(
    terms: Pick<GrantOfOneToken, 'clientId' | 'subject' | 'scopes' | 'resource'>,
    { id, issuer }: Assertion,
    tenant: ResolvedTenant,
  ): GrantOfOneToken {
    const own = Buffer.from(id, 'base64url').subarray(0, partLength)
    const claims = { [trustedIssuerClaim]: { issuer: issuer.issuer, jti: id, attempt: '' } }
    return grantOfOneToken({ ...terms, claims }, tenant, own)
  }

  /**
   * Stores the grant, which uses the assertion up.
   *
   * @param since When the request came, by this process's monotonic clock.
   * @throws {OAuthError} `invalid_grant` if the assertion has been used, or is older than the end of its customer, its client or its company;
   * `temporarily_unavailable` if the store fails. The same assertion may then be presented to this process again.
   */
  async store(draft: GrantOfOneToken, assertion: Assertion, tenant: TenantIdentity, since: number): Promise<void> {
    const name = `${draft.tenantId} ${draft.grantId}`
    // Taken out, so that of two requests at the same time one alone goes on from an undecided attempt.
    const attempt = this.#undecided.get(name) ?? randomUUID()
    this.#undecided.delete(name)
    const { issuer } = assertion.issuer
    const claims = { ...draft.claims, [trustedIssuerClaim]: { issuer, jti: assertion.id, attempt } }
    try {
      const outcome = await this.#storeOnce({ ...draft, claims }, assertion, tenant, since)
      if (outcome === 'created') return
      if (outcome === 'taken')
        throw refused('has been used already', assertion.issuer, 'replayed', { jti: assertion.id })
      throw refused('is older than the end of what it asks for', assertion.issuer, 'asserted_before_end')
    } catch (failed) {
      const { reason, cause } = Object(failed)
      if (reason === 'token_store_failed' && !(cause instanceof DeletionInDoubt)) this.#remember(name, attempt)
      throw failed
    }
  }

  async #storeOnce(
    grant: GrantOfOneToken,
    { id, issuedAt, goneAt }: Assertion,
    tenant: TenantIdentity,
    since: number,
  ): Promise<'created' | 'taken' | 'ended'> {
    const now = this.#now()
    // On the monotonic clock, because the store's clock may differ from this process's.
    const assertedAt = Math.min(since, performance.now() - (now - issuedAt) - leeway)
    const outcome = await this.#grants.createOnce(grant, tenant, assertedAt)
    if (outcome !== 'created') return outcome
    // Not for `goneAt - now`: a process whose clock is behind would still take it after that.
    if (await this.#store.useOnce(grant.tenantId, id, goneAt - Math.min(now, issuedAt))) return 'created'
    // There was a grant of this assertion, which has ended.
    await this.#store.deleteGrant(grant.tenantId, grant.grantId)
    return 'taken'
  }

  #remember(name: string, attempt: string): void {
    const [oldest] = this.#undecided.keys()
    if (this.#undecided.size >= maxUndecided && oldest !== undefined) this.#undecided.delete(oldest)
    this.#undecided.set(name, attempt)
  }
}
