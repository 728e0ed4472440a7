import { randomBytes } from 'node:crypto'
import type { RevokedEvent } from '../contract/customer-sign-in-event'
import { type Grant, liveHash, type NewGrant } from '../contract/token-store'
import { contextOf, type Emit, faultEvent } from '../host/emitter'
import type { GuardedStore } from '../host/guarded-store'
import { type ErrorContext, type OAuthError, temporarilyUnavailable } from '../protocol/oauth-error'
import { isSameAttempt } from '../protocol/trusted-issuer-claim'
import type { ResolvedTenant, TenantIdentity } from '../tenants/resolved-tenant'
import {
  type Binding,
  type CredentialChain,
  credentialHash,
  grantIdOf,
  handleOf,
  isConnected,
  partLength,
} from './credential'

/** How many grants a customer can have. */
export interface GrantLimits {
  /** Of one client. */
  perClient: number
  /** Whether a sign-in ends the customer's earlier grants of the same client and resource. */
  replace: boolean
}

/** What a grant gives to whom. */
export type GrantTerms = Pick<NewGrant, 'clientId' | 'subject' | 'scopes' | 'resource' | 'claims'>

/** What a customer has agreed to. */
export interface Agreement extends GrantTerms, Pick<NewGrant, 'consentTo'>, Pick<Binding, 'key'> {
  /** Whether only the authenticated client may redeem the grant. */
  isConfidential: boolean
  redirectUri: string
  codeChallenge: string
  /** The 32 bytes of which the code is made, so that it can be made again. By default they are random. */
  seed?: Buffer | undefined
}

/** A grant that nothing redeems, before it is stored: it lives as long as its only access token. */
export type GrantOfOneToken = Omit<NewGrant, 'deadline' | 'credential' | 'request'>

/** Makes a grant that nothing redeems. @param own The 16 bytes that tell it from others. By default they are random. */
export function grantOfOneToken(
  terms: GrantTerms,
  { id: tenantId, policy }: ResolvedTenant,
  own = randomBytes(partLength),
): GrantOfOneToken {
  const grantId = grantIdOf(handleOf(tenantId, terms.subject, own))
  return { ...terms, tenantId, grantId, lifetime: policy.lifetimes.accessToken }
}

/** The cause of an error when a deletion has failed, and may still come. So nothing may be stored again under the id of its grant. */
export class DeletionInDoubt extends Error {}

/** Creates and ends grants. `Redemptions` redeems them. */
export class Grants {
  readonly #store: GuardedStore
  readonly #chain: CredentialChain
  readonly #limits: GrantLimits
  readonly #emit: Emit

  constructor(store: GuardedStore, chain: CredentialChain, limits: GrantLimits, emit: Emit) {
    this.#store = store
    this.#chain = chain
    this.#limits = limits
    this.#emit = emit
  }

  /** Stores a grant. @returns The authorization code that redeems it. */
  async create(agreement: Agreement, tenant: ResolvedTenant): Promise<string> {
    const patience = this.#store.patience(2)
    const create = async () => {
      const { grant, codeOf } = this.#draft(agreement, tenant)
      const result = await this.#store.createGrant(grant, patience)
      if (result.outcome === 'ended') throw notCreated('ended')
      // The store's client may have sent the command twice: then the second sending finds the grant of the first.
      if (liveHash(result.grant) !== liveHash(grant)) throw notCreated('taken')
      return { created: result.grant, code: codeOf(result.grant) }
    }
    // If the reply is lost, another grant is created. Even if the store stored the first one, nobody has its code.
    const { created, code } = await create().catch(create)
    await this.#endOldest(created, tenant)
    return code
  }

  /**
   * Stores a grant with a random id, as {@link createOnce} does.
   *
   * @param since When it was asked for, by this process's monotonic clock. Its client may have been ended since, if the request was slow.
   * @throws {OAuthError} `temporarily_unavailable` if its client or its tenant was ended after that, and if the store fails.
   */
  async createForToken(grant: GrantOfOneToken, tenant: TenantIdentity, since: number): Promise<void> {
    const outcome = await this.createOnce(grant, tenant, since)
    if (outcome !== 'created') throw notCreated(outcome)
  }

  /**
   * Stores a grant that nothing redeems, unless there is one with its id. If the reply is lost, it is sent again.
   *
   * @param since When what it rests on was asserted, by this process's monotonic clock.
   * @returns `taken` if another request has stored the grant with this id, `ended` if its customer, client or tenant was ended since.
   */
  async createOnce(
    grant: GrantOfOneToken,
    tenant: TenantIdentity,
    since: number,
  ): Promise<'created' | 'taken' | 'ended'> {
    let assertedAt = await this.#store.timeBefore(since)
    const patience = this.#store.patience(2)
    const create = () => this.#store.createGrant({ ...grant, assertedAt }, patience)
    let result = await create().catch(create)
    if (result.outcome === 'taken' && isSameAttempt(result.grant, grant)) {
      // An earlier sending has stored it, and may have failed before it had looked at what was ended: no store looks at that again.
      await this.#store.deleteGrant(grant.tenantId, grant.grantId).catch((cause) => {
        throw temporarilyUnavailable(new DeletionInDoubt('A grant may still be deleted', { cause }))
      })
      result = await create()
    }
    if (result.outcome === 'ended') {
      // The result has told the store's time, which may be later than this process knew.
      const known = assertedAt
      assertedAt = await this.#store.timeBefore(since)
      if (assertedAt > known) result = await create()
    }
    if (result.outcome === 'created') await this.#endOldest(result.grant, tenant)
    return result.outcome
  }

  /** Makes the code of an agreement with a `seed` again. @returns Undefined if it cannot be redeemed, or no longer. */
  async codeAgain(agreement: Agreement, tenant: ResolvedTenant): Promise<string | undefined> {
    const { grant, codeOf } = this.#draft(agreement, tenant)
    const created = await this.#store.findGrant(tenant.id, grant.grantId)
    return created && liveHash(created) === liveHash(grant) ? codeOf(created) : undefined
  }

  /**
   * Ends the grant with this id, even if the store did not find it: an earlier call may have deleted it without the replicas' knowledge.
   *
   * @param named.grant The grant as it was found, for the event.
   */
  async endNamed(
    { tenantId, grantId, grant }: { tenantId: string; grantId: string; grant: Grant | undefined },
    tenantKey: string | undefined,
    reason: RevokedEvent['reason'],
    actor?: string,
  ): Promise<boolean> {
    const ended = await this.#store.deleteGrant(tenantId, grantId)
    if (ended && grant) this.#emit({ type: 'revoked', reason, actor, tenantKey, ...contextOf(grant) })
    return ended
  }

  /**
   * Ends the grants that the store deletes for a call of the host's.
   *
   * @param where What an event calls that call if the store fails.
   * @returns How many have ended.
   */
  async endEach(
    deleted: AsyncIterable<Grant>,
    where: string,
    context: ErrorContext,
    { reason = 'host', actor }: Partial<Pick<RevokedEvent, 'reason' | 'actor'>>,
  ): Promise<number> {
    let ended = 0
    try {
      for await (const grant of deleted) {
        this.#emit({ type: 'revoked', reason, actor, tenantKey: context.tenantKey, ...contextOf(grant) })
        ended++
      }
    } catch (error) {
      this.#emit(faultEvent(where, error, context))
      throw error
    }
    return ended
  }

  /**
   * Ends the customer's earlier grants of the same client and resource, if `grants.replace` is on, once the code of a grant has been redeemed. A
   * failure leaves them as they are, and does not fail the sign-in.
   *
   * Only earlier ones: of two sign-ins at the same time, neither could otherwise be sure to survive the other.
   */
  async endReplaced(redeemed: Grant, tenant: TenantIdentity): Promise<void> {
    if (!this.#limits.replace) return
    await this.#endSome(redeemed, tenant, 'replaced', (others) =>
      others.filter((grant) => grant.resource === redeemed.resource && isEarlier(grant, redeemed)),
    )
  }

  /** Ends the oldest of a customer's grants of one client if there are too many. A failure only postpones that. */
  async #endOldest(created: Grant, tenant: TenantIdentity): Promise<void> {
    await this.#endSome(created, tenant, 'too_many', (others) => {
      const excess = Math.max(0, others.length + 1 - this.#limits.perClient)
      // First those whose code has not been redeemed, so that a page that asks for codes again and again cannot end grants in use. Then those
      // of one token, which end soon, and then the others.
      const worth = (grant: Grant) => Number(isConnected(grant)) + Number(grant.credential?.kind === 'refresh_token')
      return others.sort((one, other) => worth(one) - worth(other) || one.createdAt - other.createdAt).slice(0, excess)
    })
  }

  /** Ends some of the customer's other grants of a grant's client. A failure becomes an event. */
  async #endSome(
    { tenantId, subject, clientId, grantId }: Grant,
    tenant: TenantIdentity,
    reason: 'replaced' | 'too_many',
    choose: (others: Grant[]) => Grant[],
  ): Promise<void> {
    try {
      const grants = await this.#store.grantsOf({ tenantId, subject, clientId })
      const others = grants.filter((grant) => grant.grantId !== grantId)
      for (const grant of choose(others)) {
        await this.endNamed({ tenantId, grantId: grant.grantId, grant }, tenant.key, reason)
      }
    } catch (error) {
      const where = reason === 'replaced' ? 'grants.replace' : 'createGrant'
      this.#emit(faultEvent(where, error, { tenantKey: tenant.key, tenantId, clientId, grantId, subject }))
    }
  }

  /** Makes a grant before it is stored, and what makes its code, which needs the times that the store gives to the grant. */
  #draft({ isConfidential, seed = randomBytes(2 * partLength), ...agreement }: Agreement, tenant: ResolvedTenant) {
    const kind = 'code'
    const { clientId, subject, scopes, resource, claims, consentTo, redirectUri, codeChallenge, key } = agreement
    const binding = { clientId, redirectUri, codeChallenge, isAuthenticated: isConfidential, key }
    const handle = handleOf(tenant.id, subject, seed.subarray(0, partLength))
    const secret = seed.subarray(partLength)
    const grant = {
      tenantId: tenant.id,
      grantId: grantIdOf(handle),
      clientId,
      subject,
      scopes,
      resource,
      claims,
      consentTo,
      credential: { kind, hash: credentialHash(kind, secret, binding) } as const,
      request: { redirectUri, codeChallenge },
      lifetime: tenant.policy.lifetimes.authorizationCode,
      endsAfter: tenant.policy.lifetimes.grant,
    }
    return { grant, codeOf: (created: Grant) => this.#chain.write(kind, handle, { secret, binding }, created) }
  }
}

function notCreated(outcome: 'ended' | 'taken'): OAuthError {
  const why = {
    ended: 'The grants of its owner have just been ended',
    taken: 'The token store has another grant under a new random id',
  }
  return temporarilyUnavailable(new Error(why[outcome]))
}

/** Whether a grant was created before another one. Of two with the same time, one of them always is. */
function isEarlier(grant: Grant, other: Grant): boolean {
  return grant.createdAt < other.createdAt || (grant.createdAt === other.createdAt && grant.grantId < other.grantId)
}
