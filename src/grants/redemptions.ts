import { aboutGrant, type RepeatEvent } from '../events/events'
import { temporarilyUnavailable } from '../protocol/oauth-error'
import type { Service } from '../service'
import type { Grant } from '../stores/token-store'
import { credentialHash, expiryOf, formatCredential } from './credential'
import type { Successor } from './credential-chain'
import {
  contextOf,
  invalidGrant,
  isOurs,
  type Presented,
  resourceNotGranted,
  whyMissing,
  whyNotRedeemable,
} from './refusals'
import type { Step } from './swaps'

/** What a redemption gives: the grant as it is now, and the refresh token that redeems it next. */
export interface Redeemed {
  grant: Grant
  /** The time of the store. */
  now: number
  refreshToken: string
  /** By a plain swap, without one as the refresh token is new, by the retry window, or after the store had lost the newest redemptions. */
  by: 'swap' | 'rest' | 'retry' | 'recovery'
  /** The step that was taken, where one was. */
  step?: Step | undefined
  /** What a repeat inside the retry window tells of its client. */
  repeat?: RepeatEvent | undefined
}

// Between two looks at a grant another process can move it on; more than twice in a row is no coincidence.
const maxLooks = 4
// The store's clock may differ that much from itself after a failover, in milliseconds.
const clockSlack = 1000

/**
 * Redeems a credential by the one atomic step: if it is the live one, its successor takes its place. The order is that of the flowchart
 * in docs/credential-chain.md.
 *
 * @throws {OAuthError} `invalid_grant`, `invalid_target`, or `temporarily_unavailable` where the store does not say what came of
 * it. None of them uses a live credential up.
 */
export async function redeem(presented: Presented, service: Service): Promise<Redeemed> {
  const { chain, swaps } = service
  const { credential, binding, grantId } = presented
  const hash = credentialHash(credential.kind, credential.secret, binding)
  const next = chain.successor(grantId, hash, binding)
  let by: Redeemed['by'] = 'swap'
  let before: readonly string[] = []
  for (let looks = 0; looks < maxLooks; looks++) {
    const step = stepTo(next, [hash, ...before], presented, service)
    const result = await swaps.take(step)
    if (result.outcome === 'missing') throw whyMissing(presented, result.now, service)
    if (result.outcome === 'wrong_resource') throw resourceNotGranted(presented, result.grant)
    const { grant, now } = result
    if (result.outcome === 'swapped') {
      return { grant, now, refreshToken: refreshTokenOf(next, grant, presented, service), by, step }
    }
    // What is new stays what it is: the last of a client's parallel requests to save its tokens would leave it with a used one.
    if (result.outcome === 'fresh') return { grant, now, refreshToken: formatCredential(credential), by: 'rest' }

    if (!isOurs(presented, service)) throw whyNotRedeemable(presented, grant)
    const live = grant.credential.hash
    // The store is behind the client: only this server can have issued what follows the live credential.
    const lost = credential.kind === 'refresh_token' ? chain.pathBetween(grantId, live, hash, binding) : undefined
    if (!lost && live !== hash) return judgeRepeat(hash, presented, result, service)
    by = lost ? 'recovery' : 'swap'
    before = lost ?? []
  }
  throw temporarilyUnavailable(new Error('The grant moved on between every two looks at it'))
}

/** @param redeems The credential that was presented, and those before it down to the live one. */
function stepTo(
  { hash: to }: Successor,
  redeems: readonly [string, ...string[]],
  presented: Presented,
  service: Service,
): Step {
  const [hash] = redeems
  const { credential, binding, grantId, tenant, lifetime, resource } = presented
  const { redirect_uri: redirectUri = '', code_verifier: codeChallenge = '' } = binding
  const codeLifetime = service.options.authorizationCodeLifetime * 1000
  const code = { request: { redirectUri, codeChallenge }, lifetime: codeLifetime }
  const isCode = credential.kind === 'code'
  return {
    tenantId: tenant.id,
    grantId,
    from: redeems.at(-1) as string,
    to,
    redeems,
    lifetime: lifetime * 1000,
    resource,
    isOurs: () => isOurs(presented, service),
    presented: isCode ? { credential: { kind: 'code', hash }, code } : { credential: { kind: 'refresh_token', hash } },
  }
}

/**
 * Judges a credential that was live once and is not now, by how long ago it was redeemed. A replay ends its grant (RFC 6749
 * section 4.1.2, RFC 9700 section 4.14), unless it comes so soon that two tabs or an impatient retry explain it.
 *
 * @returns The refresh token that is live now, inside `refreshRetryWindow`.
 * @throws {OAuthError} `invalid_grant` otherwise.
 */
async function judgeRepeat(
  hash: string,
  presented: Presented,
  { grant, now }: { grant: Grant; now: number },
  service: Service,
): Promise<Redeemed> {
  const { credential, grantId, binding, tenant, resource } = presented
  const { refreshRetryWindow, replayTolerance } = service.options
  const redeemed = grant.redeemed ?? []
  const place = redeemed.findIndex(({ mark }) => hash.startsWith(mark))
  const age = secondsSince(redeemed[place]?.at, now)
  // The newest one that was redeemed led to the live one, which nobody has used yet.
  const repeat = { age: Number.isFinite(age) ? age : undefined, successorUsed: place !== 0 }

  const window = credential.kind === 'refresh_token' ? refreshRetryWindow : 0
  if (age < window) {
    const since = redeemed.slice(0, place).map(({ mark }) => mark)
    const live = service.chain.liveSuccessor(grantId, hash, since.reverse(), grant.credential.hash, binding)
    if (live && resource !== undefined && resource !== grant.resource) throw resourceNotGranted(presented, grant)
    if (live) return { grant, now, refreshToken: refreshTokenOf(live, grant, presented, service), by: 'retry', repeat }
  }
  const told = { type: 'replayed', credential: credential.kind, ...repeat, ...aboutGrant(grant, tenant.key) } as const
  // Who has hung up may have given up long ago, and have been answered elsewhere since.
  const ends = age >= Math.max(window, replayTolerance) && !(await presented.hasHungUp())
  const ending = ends ? service.tokenStore.deleteGrant(tenant.id, grantId) : Promise.resolve(false)
  const ended = await ending.catch((error) => {
    // Whether it has ended is not known. If it has, nothing tells of the replay again.
    service.emit({ ...told, ended: false })
    throw error
  })
  service.emit({ ...told, ended })
  throw invalidGrant(presented, 'has been used already', 'replayed', { context: contextOf(grant) })
}

/** By the store's clock. @throws {OAuthError} `temporarily_unavailable` where that has been set back since. */
function secondsSince(at: number | undefined, now: number): number {
  if (at === undefined) return Number.POSITIVE_INFINITY
  if (now >= at - clockSlack) return Math.max(0, now - at) / 1000
  const behind = Math.round((at - now) / 1000)
  throw temporarilyUnavailable(
    new Error(`The token store's clock is ${behind} s behind the time of its own last write: has it been set back?`),
  )
}

function refreshTokenOf(
  { secret }: Successor,
  grant: Grant,
  { credential, tenant, grantId, binding }: Presented,
  { chain }: Service,
): string {
  const kind = 'refresh_token'
  const expiry = expiryOf(grant)
  const tag = chain.tag(tenant.id, grantId, { kind, secret, expiry }, binding)
  return formatCredential({ kind, handle: credential.handle, secret, expiry, tag })
}
