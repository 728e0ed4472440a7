// More than 300 lines: one decision, which reads from top to bottom like its flowchart.

import { notAuthenticated } from '../client-authentication/method'
import { warn } from '../configuration/warnings'
import type { RepeatEvent } from '../contract/customer-sign-in-event'
import { type Grant, liveHash, maxRedeemed } from '../contract/token-store'
import { contextOf, type Emit } from '../host/emitter'
import type { GuardedStore } from '../host/guarded-store'
import { type CredentialKind, credentialKinds } from '../protocol/grant-types'
import { oauthError, temporarilyUnavailable, withContext } from '../protocol/oauth-error'
import { isSameResource, spelledByTenant, stillOffered } from '../tenants/resolved-tenant'
import { type AccessTokenTerms, type Settle, scopesGone } from '../tokens/access-tokens'
import {
  anyKey,
  type Binding,
  type Credential,
  type CredentialChain,
  credentialHash,
  type Expiry,
  expiryOf,
  formatCredential,
  grantIdOf,
  type IssuedCredential,
  isLive,
  keyNeeded,
  type PresentedCredential,
  parseCredential,
  readExpiry,
  type Successor,
} from './credential'
import { invalidGrant, mustProveKey, notRedeemable, unknownCredential } from './refusals'
import { type Step, Swaps } from './swaps'

/** For how long a used credential that is presented again is refused without ending its grant, in milliseconds: most repeats are no theft. */
export const replayTolerance = 10_000

/** How repeated and late redemptions are judged. Milliseconds. */
export interface RedemptionRules {
  refreshRetryWindow: number
  replayTolerance: number
}

/** The grant as it is after a redemption, and the refresh token that redeems it next. */
export interface Redeemed {
  grant: Grant
  /** The time of the store. */
  now: number
  refreshToken: string
  /** How the refresh token was found. `fresh`: it is the presented one; `retry`: inside `refreshRetryWindow`; `recovery`: after lost writes. */
  by: 'swap' | 'fresh' | 'retry' | 'recovery'
  /** The step that was taken, if one was. */
  step?: Step | undefined
  /** What a repeat inside `refreshRetryWindow` tells about its client. */
  repeat?: RepeatEvent | undefined
}

/** A redeemed credential, and what its access token says. */
export type Redemption = Redeemed & AccessTokenTerms

// Another process can redeem a grant between two looks at it, but hardly four times in a row.
const maxLooks = 4
// The store's clock may differ this much from itself after a failover, in milliseconds.
const clockSlack = 1000
// A client's parallel requests refresh within some seconds, and the last one to save its tokens may not have the newest. Milliseconds.
const burst = 10_000
// The `refreshRetryWindow` of refresh tokens that are bound to a key, in milliseconds: whoever has stolen one cannot present it.
const boundRetryWindow = 24 * 3_600_000

/**
 * The longest `refreshRetryWindow` for access tokens that live this long, in milliseconds. A process of a client that shares its tokens with
 * another one presents a used refresh token when its access token expires, so at most an access token's life after that use.
 */
export function longestRetryWindow(accessTokenLifetime: number): number {
  return accessTokenLifetime + 300_000
}

/**
 * Reads a credential.
 *
 * @param key The thumbprint of the key that the request proves. The next refresh token is bound to it, or if the client authenticates, to any.
 * @throws {OAuthError} `invalid_grant` if the text is no credential of this kind.
 */
export function presentedCredential(
  kind: CredentialKind,
  text: string,
  presentedWith: Omit<PresentedCredential, 'credential' | 'grantId' | 'next'>,
  key: string | undefined,
): PresentedCredential {
  const credential = parseCredential(kind, text)
  if (!credential) {
    throw oauthError('invalid_grant', `${credentialKinds[kind].label} is unknown`, { reason: 'malformed_credential' })
  }
  const presented = { credential, grantId: grantIdOf(credential.handle), ...presentedWith, next: presentedWith.binding }
  const needed = keyNeeded(credential)
  const { binding } = presentedWith
  const bound = { none: undefined, any: key && anyKey, 'its own': key }[needed]
  const next = key && (binding.isAuthenticated ? anyKey : key)
  return { ...presented, binding: { ...binding, key: bound }, next: { ...binding, key: next } }
}

/** Redeems codes and refresh tokens. The decisions are in the order of the flowchart in docs/credential-chain.md. */
export class Redemptions {
  readonly #store: GuardedStore
  readonly #chain: CredentialChain
  readonly #rules: RedemptionRules
  readonly #swaps: Swaps
  readonly #emit: Emit
  readonly #now: () => number
  #hasWarnedOfSecrets = false

  /** @param now The clock of this process, in milliseconds since 1970. */
  constructor(store: GuardedStore, chain: CredentialChain, rules: RedemptionRules, emit: Emit, now: () => number) {
    this.#store = store
    this.#chain = chain
    this.#rules = rules
    this.#swaps = new Swaps(store)
    this.#emit = emit
    this.#now = now
  }

  /** Whether a refresh token that was used a moment ago is answered with the live one. */
  get hasRetryWindow(): boolean {
    return this.#rules.refreshRetryWindow > 0
  }

  /** Whether this server has issued a credential to exactly this redeemer, with the key that it proves. */
  hasIssued(presented: IssuedCredential): boolean {
    return this.#chain.hasIssuedForKey(presented)
  }

  /**
   * Redeems a credential: if it is the live one, its successor takes its place in one atomic step.
   *
   * @param settle Settles the terms before anything is used up, if they need more than the grant says.
   * @throws {OAuthError} `invalid_grant`, `invalid_dpop_proof`, `invalid_client`, `invalid_target`, `invalid_scope`, what `settle` throws, or
   * `temporarily_unavailable` if the store does not say what came of it. None of them uses a live credential up, but the grant ends if the
   * tenant no longer has its resource.
   */
  async redeem(presented: PresentedCredential, settle: Settle | undefined): Promise<Redemption> {
    try {
      this.#checkKey(presented)
      const settled = settle && (await this.#settled(settle, presented))
      const redeemed = await this.#exchange(presented)
      const { grant, now } = redeemed
      // Access tokens live for whole seconds, and none outlives its grant: the one of this redemption would have expired.
      if (grant.expiresAt - now < 1000) return this.#refuseExpired(presented, expiryOf(grant))
      if (spelledByTenant(grant.resource, presented.tenant) === undefined) await this.#refuseUnserved(presented, grant)
      const scopes = settled?.scopes ?? stillOffered(grant.scopes, presented.tenant)
      if (scopes === undefined) {
        // The tenant may offer them again.
        await this.reverse(redeemed)
        throw scopesGone(grant)
      }
      return { ...redeemed, ...settled, scopes }
    } catch (error) {
      // The tag of a credential that this server issued proves whose it is, even if the store has not answered.
      throw this.#chain.hasIssued(presented) ? withContext(error, ownerOf(presented)) : error
    }
  }

  /**
   * Makes the presented credential live again, because the client gets no tokens.
   *
   * @throws {OAuthError} `temporarily_unavailable` if the store fails. The redemption is then reversed as soon as the store answers again.
   */
  async reverse({ grant, step }: Redeemed): Promise<void> {
    if (step && grant.swap) await this.#swaps.reverse(step, grant.swap.attempt)
  }

  /** Checks that a credential which is bound to a key comes with that key. The tag says so, before the store is asked. */
  #checkKey(presented: PresentedCredential): void {
    const needed = keyNeeded(presented.credential)
    if (needed === 'none') return
    const { credential, binding } = presented
    const hasKey = binding.key !== undefined
    if (hasKey && (needed === 'any' || this.#chain.hasIssuedForKey(presented))) return
    const isOurs = this.#chain.hasIssued(presented)
    if (!hasKey) throw isOurs ? mustProveKey(presented) : unknownCredential(presented)
    const why = credential.kind === 'code' ? 'was requested with another dpop_jkt' : undefined
    // If it is not ours, it comes with another mistake than the key. The store may say which.
    if (isOurs) throw invalidGrant(presented, 'wrong_key', { why })
  }

  /** Checks that this server issued a credential, which does not redeem its grant, to this redeemer. */
  #checkIssued(presented: PresentedCredential, grant: Grant | undefined): void {
    if (this.#chain.hasIssued(presented)) return
    const { binding, grantId, tenant } = presented
    const { clientId } = binding
    if (this.#chain.hasIssued({ ...presented, binding: { ...binding, isAuthenticated: true } })) {
      throw notAuthenticated(clientId, { context: { tenantId: tenant.id, clientId, grantId } })
    }
    throw grant ? notRedeemable(presented, grant) : unknownCredential(presented)
  }

  /** Refuses a credential that certainly cannot be redeemed, and settles the terms of any other. Uses nothing up. */
  async #settled(settle: Settle, presented: PresentedCredential): Promise<AccessTokenTerms> {
    const grant = await this.#store.findGrant(presented.tenant.id, presented.grantId)
    if (!grant) return this.#refuseMissing(presented, this.#now())
    if (!isLive(presented, grant)) this.#checkIssued(presented, grant)
    return settle(grant, async () => {
      // A code that was redeemed before, and a refresh token that is new, leave the grant's expiry as it is.
      const end = grant.credential?.kind === 'code' ? grant.endsAt : grant.expiresAt
      const left = end === undefined ? presented.lifetime : end - (await this.#store.latestTime())
      return Math.min(presented.lifetime, left)
    })
  }

  async #exchange(presented: PresentedCredential): Promise<Redeemed> {
    const { credential, binding, grantId } = presented
    const { kind, handle, secret } = credential
    const hash = credentialHash(kind, secret, binding)
    const next = this.#successor(presented, hash)
    let by: Redeemed['by'] = 'swap'
    let before: readonly string[] = []
    for (let looks = 0; looks < maxLooks; looks++) {
      const step = this.#stepTo(next, hash, before, presented)
      const result = await this.#swaps.take(step)
      if (result.outcome === 'missing') return this.#refuseMissing(presented, result.now)
      if (result.outcome === 'wrong_resource') {
        await this.#checkResource(presented, result.grant)
        return this.#exchange({ ...presented, resource: result.grant.resource })
      }
      const { grant, now } = result
      if (result.outcome === 'swapped') {
        this.#checkSecrets(presented)
        return { grant, now, refreshToken: this.#chain.write('refresh_token', handle, next, grant), by, step }
      }
      // A new refresh token stays live: the last of a client's parallel requests to save its tokens would otherwise leave it with a used one.
      if (result.outcome === 'fresh') return { grant, now, refreshToken: formatCredential(credential), by: 'fresh' }

      this.#checkIssued(presented, grant)
      const live = liveHash(grant)
      // The presented token descends from the live one, so only this server can have issued it: the store has lost writes.
      const lost = kind === 'code' ? undefined : this.#chain.pathBetween(grantId, live, hash, bindingsOf(presented))
      if (!lost && live !== hash) {
        const repeated = await this.#judgeRepeat(hash, presented, grant, now)
        if (repeated) return repeated
      }
      by = lost ? 'recovery' : 'swap'
      before = lost ?? []
    }
    throw temporarilyUnavailable(
      new Error('Other processes changed the grant during each of four attempts to redeem it'),
    )
  }

  /** The successor to swap in. If an attempt at one is undecided, that one, even if the secrets have changed: the attempt is reversed first. */
  #successor({ grantId, tenant, next: bound }: PresentedCredential, hash: string): Successor {
    if (this.#swaps.hasUndecided) {
      const successors = this.#chain.successorsUnderEach(grantId, hash, [bound])
      const tried = successors.find((next) => this.#swaps.isUndecided({ tenantId: tenant.id, grantId, to: next.hash }))
      if (tried) return tried
    }
    return this.#chain.successor(grantId, hash, bound)
  }

  /** For how long a used refresh token is answered with the live one, in milliseconds. */
  #windowOf({ credential, tenant: { policy } }: PresentedCredential): number {
    if (isBoundToKey(credential) && this.hasRetryWindow) return boundRetryWindow
    return Math.min(this.#rules.refreshRetryWindow, longestRetryWindow(policy.lifetimes.accessToken))
  }

  /** For how long a grant remembers a redeemed credential, in milliseconds. */
  #rememberIn(window: number): number {
    return Math.max(window, this.#rules.replayTolerance)
  }

  /** @param before If the store has lost writes: the hashes of the credentials before the presented one, down to the live one. */
  #stepTo({ hash: to }: Successor, hash: string, before: readonly string[], presented: PresentedCredential): Step {
    const { credential, binding, grantId, tenant, lifetime, resource } = presented
    const { redirectUri = '', codeChallenge = '' } = binding
    const code = { request: { redirectUri, codeChallenge }, lifetime: tenant.policy.lifetimes.authorizationCode }
    const { kind } = credential
    const window = this.#windowOf(presented)
    // How long the next one is not replaced: until its burst is over, and so long that the credentials that a grant remembers span the window,
    // however often a client refreshes. But the grant must not expire meanwhile.
    const rest = Math.floor(Math.min(window, Math.max(burst, Math.ceil(window / maxRedeemed)), lifetime / 2))
    return {
      tenantId: tenant.id,
      grantId,
      from: before.at(-1) ?? hash,
      to,
      redeems: [hash, ...before],
      remember: this.#rememberIn(window),
      // If the store has lost writes, a refresh token that it calls new is not new to the client.
      rest: before.length > 0 ? 0 : rest,
      lifetime,
      resource,
      isIssuedHere: () => this.#chain.hasIssued(presented),
      presented: kind === 'code' ? { credential: { kind, hash }, code } : { credential: { kind, hash } },
    }
  }

  /**
   * Judges a credential that was live once and is not now, by how long ago it was redeemed. A replay ends its grant (RFC 6749
   * section 4.1.2, RFC 9700 section 4.14), unless it comes so soon that two tabs, a double submit or an impatient retry explain it.
   *
   * @returns The refresh token that is live now, if the repeat comes inside its window. Undefined if the grant has changed meanwhile.
   * @throws {OAuthError} `invalid_grant` otherwise.
   */
  async #judgeRepeat(
    hash: string,
    presented: PresentedCredential,
    grant: Grant,
    now: number,
  ): Promise<Redeemed | undefined> {
    const { credential, grantId, tenant } = presented
    const isCode = credential.kind === 'code'
    const redeemed = grant.redeemed ?? []
    const place = redeemed.findIndex(({ mark }) => hash.startsWith(mark))
    const isBound = isBoundToKey(credential)
    const age = ageOf(redeemed[place]?.at, now)
    // The newest redeemed credential led to the live one, which nobody has used yet.
    const repeat = {
      credential: credential.kind,
      age: Number.isFinite(age) ? age / 1000 : undefined,
      successorUsed: place !== 0,
      bound: isBound ? (true as const) : undefined,
    }

    const window = this.#windowOf(presented)
    // A code gives nothing but the first refresh token, and no longer once that has been used.
    const isInWindow = isCode ? age < Math.min(window, burst) && place === 0 : age < window
    if (isInWindow) {
      const since = redeemed.slice(0, place).map(({ mark }) => mark)
      const live = this.#chain.liveSuccessor(grantId, hash, since.reverse(), liveHash(grant), bindingsOf(presented))
      if (live) {
        await this.#checkResource(presented, grant)
        // The first request with the code may have got 503 from another process. If that reversed its swap later, the grant would expire with
        // the code.
        const times = { remember: this.#rememberIn(window), lifetime: grant.expiresAt - now }
        if (isCode && !(await this.#swaps.keep(grant, times))) return undefined
        const refreshToken = this.#chain.write('refresh_token', credential.handle, live, grant)
        return { grant, now, refreshToken, by: 'retry', repeat }
      }
    }
    const replayed = { type: 'replayed', ...repeat, tenantKey: tenant.key, ...contextOf(grant) } as const
    const { replayTolerance } = this.#rules
    const isOld = age >= (isCode ? replayTolerance : this.#rememberIn(window))
    // A client that has hung up may have given up long ago, and another process may have answered it since. And only its client can present a
    // refresh token with the key that it is bound to.
    const ends = isOld && !isBound && !(await presented.hasHungUp())
    const ending = ends ? this.#store.deleteGrant(tenant.id, grantId) : Promise.resolve(false)
    const ended = await ending.catch((error) => {
      // The grant may have ended. If it has, no later request can report the replay.
      this.#emit({ ...replayed, ended: false })
      throw error
    })
    this.#emit({ ...replayed, ended })
    throw invalidGrant(presented, 'replayed', { why: 'has been used already', context: contextOf(grant) })
  }

  /**
   * Refuses a credential whose grant is gone. The expiry inside the credential says whether it had expired. If it had not, the grant was
   * ended, and an event said so, or the store has lost it.
   *
   * @param now The time of the store, or of this process if the store did not tell it.
   */
  #refuseMissing(presented: PresentedCredential, now: number): never {
    this.#checkIssued(presented, undefined)
    const expiry = readExpiry(presented.credential)
    if (now >= expiry.expiresAt) return this.#refuseExpired(presented, expiry)
    throw invalidGrant(presented, 'ended_or_lost')
  }

  #refuseExpired(presented: PresentedCredential, { expiresAt, isEnd }: Expiry): never {
    const { kind } = presented.credential
    const limit = isEnd ? 'lifetimes.grant' : credentialKinds[kind].lifetimeOption
    this.#emit({ type: 'expired', credential: kind, limit, expiredAt: expiresAt, ...ownerOf(presented) })
    throw invalidGrant(presented, 'expired')
  }

  /** Checks that a request names no other resource than the grant's. If the grant's is gone, its address may lead to another one by now. */
  async #checkResource(presented: PresentedCredential, grant: Grant): Promise<void> {
    const { resource, tenant } = presented
    if (resource === undefined || isSameResource(resource, grant.resource, tenant)) return
    if (spelledByTenant(grant.resource, tenant) === undefined) await this.#refuseUnserved(presented, grant)
    throw oauthError('invalid_target', 'resource is not the one that was granted', {
      reason: 'wrong_resource',
      context: contextOf(grant),
      detail: { asked: resource, accepted: [grant.resource] },
    })
  }

  /** Ends a grant whose resource the tenant no longer has, because the API would refuse every token of it: the client must sign in again. */
  async #refuseUnserved(presented: PresentedCredential, grant: Grant): Promise<never> {
    const { id, key } = presented.tenant
    await this.#store.deleteGrant(id, grant.grantId)
    // Even if the store has not found it: an earlier sending of the same call may have deleted it.
    this.#emit({ type: 'revoked', reason: 'resource_gone', tenantKey: key, ...contextOf(grant) })
    const why = 'was granted for a resource that this server no longer serves'
    throw invalidGrant(presented, 'resource_gone', { why, context: contextOf(grant) })
  }

  /** Warns once if a code redeems a grant although its tag does not verify: another process has other secrets, or the code was changed. */
  #checkSecrets(presented: PresentedCredential): void {
    if (presented.credential.kind !== 'code' || this.#hasWarnedOfSecrets || this.#chain.hasIssued(presented)) return
    this.#hasWarnedOfSecrets = true
    warn(
      'SECRETS',
      'A code was redeemed that this process has not issued. Do all processes that share this token store have the same keys.credentialSecrets?',
    )
  }
}

/** What the refresh tokens of a grant may be bound to: what the next one is, or no key, from before the client proved one. */
function bindingsOf({ next }: PresentedCredential): readonly Binding[] {
  return next.key === undefined ? [next] : [next, { ...next, key: undefined }]
}

/** Whether a credential is a refresh token that only the holder of one key can present. */
function isBoundToKey(credential: Credential): boolean {
  return credential.kind === 'refresh_token' && keyNeeded(credential) === 'its own'
}

/** Whose a credential is, as far as the credential itself says. */
function ownerOf({ tenant, grantId, binding }: PresentedCredential) {
  return { tenantKey: tenant.key, tenantId: tenant.id, clientId: binding.clientId, grantId }
}

/** How long ago a credential was redeemed, in milliseconds. @throws {OAuthError} `temporarily_unavailable` if the store's clock was set back. */
function ageOf(at: number | undefined, now: number): number {
  if (at === undefined) return Number.POSITIVE_INFINITY
  if (now >= at - clockSlack) return Math.max(0, now - at)
  const behind = Math.round((at - now) / 1000)
  throw temporarilyUnavailable(
    new Error(`The token store's clock is ${behind} s behind the time of its own last write: has it been set back?`),
  )
}
