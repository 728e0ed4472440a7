import { randomBytes } from 'node:crypto'
import type { RevokedEvent } from '../events/customer-sign-in-event'
import { aboutGrant, type Emit, faultEvent } from '../events/emitter'
import { type ErrorContext, temporarilyUnavailable } from '../protocol/oauth-error'
import type { GuardedStore } from '../stores/guarded-store'
import type { Grant, NewGrant } from '../stores/token-store'
import type { ResolvedTenant } from '../tenants/tenants'
import { credentialHash, datesOf, formatCredential, grantIdOf, handleOf, partLength } from './credential'
import type { CredentialChain } from './credential-chain'

/** How long grants live, and how many there can be. Times are milliseconds. */
export interface GrantLimits {
  codeLifetime: number
  /** The absolute end of a grant, however often it is refreshed. */
  grantLifetime: number | undefined
  /** How many grants a customer can have of one client. */
  maxGrantsPerClient: number
}

/** What a customer has agreed to. */
export interface Agreement {
  clientId: string
  /** Whether only the authenticated client may redeem the grant. */
  isConfidential: boolean
  redirectUri: string
  codeChallenge: string
  scopes: string[]
  /** In canonical form. */
  resource: string
  subject: string
  /** The host's own claims for the access tokens, as JSON carries them. */
  claims: Record<string, unknown> | undefined
  /** What the grant keeps so that the consent is remembered, if it is. */
  consentTo?: string | undefined
  /** The 32 bytes of which the code is made, so that it can be made again. By default they are random. */
  seed?: Buffer | undefined
}

/** A grant before it is stored, and how to make its code, which needs the times that the store gives to the grant. */
interface Draft {
  grant: Omit<NewGrant, 'deadline'>
  codeOf(created: Grant): string
}

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
    const patience = { giveUpAt: performance.now() + this.#store.timeout, timeout: this.#store.timeout / 2 }
    const create = async () => {
      const { grant, codeOf } = this.#draft(agreement, tenant)
      const { grant: created } = await this.#store.createGrant(grant, patience)
      // The store's client may have sent the command twice: then the second sending finds the grant of the first.
      if (created.credential.hash === grant.credential.hash) return { created, code: codeOf(created) }
      throw temporarilyUnavailable(new Error('The token store has another grant under a new random id'))
    }
    // If the reply is lost, another grant is created. Even if the store stored the first one, nobody has its code.
    const { created, code } = await create().catch(create)
    await this.#endOldest(created, tenant)
    return code
  }

  /**
   * Makes the code of an agreement with a `seed` again.
   *
   * @returns Undefined if it cannot be redeemed, or no longer.
   */
  async codeAgain(agreement: Agreement, tenant: ResolvedTenant): Promise<string | undefined> {
    const { grant, codeOf } = this.#draft(agreement, tenant)
    const created = await this.#store.findGrant(tenant.id, grant.grantId)
    return created?.credential.hash === grant.credential.hash ? codeOf(created) : undefined
  }

  /** Ends a grant that a request has just redeemed. There is an event even if an earlier sending of the same call has deleted the grant. */
  async end(grant: Grant, { id, key }: ResolvedTenant, reason: RevokedEvent['reason']): Promise<void> {
    await this.#store.deleteGrant(id, grant.grantId)
    this.#emit({ type: 'revoked', reason, ...aboutGrant(grant, key) })
  }

  /**
   * Ends the grant with this id, even if the store did not find it: an earlier call may have deleted it without the replicas' knowledge.
   *
   * @param named.grant The grant as it was found, for the event.
   */
  async endNamed(
    { tenantId, grantId, grant }: { tenantId: string; grantId: string; grant: Grant | undefined },
    tenantKey: string,
    reason: RevokedEvent['reason'],
  ): Promise<boolean> {
    const ended = await this.#store.deleteGrant(tenantId, grantId)
    if (ended && grant) this.#emit({ type: 'revoked', reason, ...aboutGrant(grant, tenantKey) })
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
    reason: RevokedEvent['reason'] = 'host',
  ): Promise<number> {
    let ended = 0
    try {
      for await (const grant of deleted) {
        this.#emit({ type: 'revoked', reason, ...aboutGrant(grant, context.tenantKey) })
        ended++
      }
    } catch (error) {
      this.#emit(faultEvent(where, error, context))
      throw error
    }
    return ended
  }

  /** Ends the oldest of a customer's grants of one client if there are too many. A failure only postpones that. */
  async #endOldest({ tenantId, subject, clientId, grantId }: Grant, tenant: ResolvedTenant): Promise<void> {
    try {
      const grants = (await this.#store.listGrants(tenantId, subject)).filter((grant) => grant.clientId === clientId)
      const excess = Math.max(0, grants.length - this.#limits.maxGrantsPerClient)
      // Grants whose code has not been redeemed end first, so that a page that asks for codes again and again cannot end grants in use.
      const isWaiting = ({ credential }: Grant) => Number(credential.kind === 'code')
      const others = grants.filter((grant) => grant.grantId !== grantId)
      others.sort((one, other) => isWaiting(other) - isWaiting(one) || one.createdAt - other.createdAt)
      for (const grant of others.slice(0, excess)) {
        await this.endNamed({ tenantId, grantId: grant.grantId, grant }, tenant.key, 'too_many')
      }
    } catch (error) {
      this.#emit(faultEvent('createGrant', error, { tenantKey: tenant.key, tenantId, clientId, grantId, subject }))
    }
  }

  #draft({ isConfidential, seed, ...agreement }: Agreement, tenant: ResolvedTenant): Draft {
    const kind = 'code'
    const { clientId, subject, scopes, resource, claims, consentTo, redirectUri, codeChallenge } = agreement
    const binding = { clientId, redirectUri, codeChallenge, isAuthenticated: isConfidential }
    const random = seed ?? randomBytes(2 * partLength)
    const handle = handleOf(tenant.id, subject, random.subarray(0, partLength))
    const secret = random.subarray(partLength)
    const grantId = grantIdOf(handle)
    const grant = {
      tenantId: tenant.id,
      grantId,
      clientId,
      subject,
      scopes,
      resource,
      claims,
      consentTo,
      credential: { kind, hash: credentialHash(kind, secret, binding) } as const,
      request: { redirectUri, codeChallenge },
      lifetime: this.#limits.codeLifetime,
      endsAfter: this.#limits.grantLifetime,
    }
    const codeOf = (created: Grant) => {
      const dates = datesOf(created)
      const tag = this.#chain.tag(tenant.id, grantId, { kind, secret, dates }, binding)
      return formatCredential({ kind, handle, secret, dates, tag })
    }
    return { grant, codeOf }
  }
}
