import {
  type CreateResult,
  type CredentialSwap,
  endMark,
  endMarks,
  type Grant,
  type GrantOwner,
  type NewGrant,
  type ReversalResult,
  type SwapResult,
  type SwapReversal,
} from '../../../src/contract/token-store'
import { type Applied, type ExploredStore, maxLost, type StoreCall } from './explored-store'

type Id = Pick<Grant, 'tenantId' | 'grantId'>
/** What a call answers, and the grant that it has written: undefined if it deleted one. */
type Step = { result: unknown; at?: Id; written?: Grant | undefined; noted?: Notes }
/** The ids that were used, and when the grants of each owner were ended. No scenario lasts until one is forgotten. */
type Notes = Readonly<Record<string, number>>

/** The contract of a token store as a state machine, written from src/contract/token-store.ts and from no other store. */
export class ContractStore implements ExploredStore {
  readonly contents: readonly Grant[]
  readonly earlier: readonly ContractStore[]
  readonly #noted: Notes

  constructor(contents: readonly Grant[] = [], earlier: readonly ContractStore[] = [], noted: Notes = {}) {
    this.contents = contents
    this.earlier = earlier
    this.#noted = noted
  }

  get notes(): string {
    return JSON.stringify(Object.entries(this.#noted).sort())
  }

  apply(call: StoreCall, now: number): Applied & { store: ContractStore } {
    const step = this.#step(call, now)
    const { result, at, written, noted = this.#noted } = step
    const others = at ? this.contents.filter((grant) => !isSame(grant, at)) : this.contents
    if (!written && others.length === this.contents.length && noted === this.#noted) return { result, store: this }
    const contents = written
      ? [...others, written].sort((one, other) => (one.grantId < other.grantId ? -1 : 1))
      : others
    const earlier = [this, ...this.earlier].slice(0, maxLost)
    return { result, store: new ContractStore(contents, earlier, noted) }
  }

  #step({ method, args }: StoreCall, now: number): Step {
    const live = this.contents.filter(({ expiresAt }) => now < expiresAt)
    const find = (id: Id) => live.find((grant) => isSame(grant, id))
    const [given, second] = args as [never, never]
    switch (method) {
      case 'createGrant':
        return create(given, find(given), this.#noted, now)
      case 'swapCredential':
        return swap(given, find(given), now)
      case 'reverseSwap':
        return reverse(given, find(given), now)
      case 'findGrant':
        return { result: find({ tenantId: given, grantId: second }) }
      case 'listGrants':
        return { result: { grants: live.filter((grant) => isOf(grant, given)) } }
      case 'deleteGrant': {
        const id = { tenantId: given, grantId: second }
        return { result: find(id) !== undefined, at: id }
      }
      case 'deleteGrants': {
        const next = live.find((grant) => isOf(grant, given)) ?? this.contents.find((grant) => isOf(grant, given))
        // The mark comes with the first step, and stays: all of a call is one call to the contract.
        const mark = endMark(given)
        const noted = this.#noted[mark] === undefined ? { ...this.#noted, [mark]: now } : this.#noted
        if (!next) return { result: { isLast: true }, noted }
        return { result: live.includes(next) ? { grant: next } : {}, at: next, noted }
      }
      case 'useOnce': {
        const id = `${String(given)} ${String(second)}`
        return this.#noted[id] === undefined
          ? { result: true, noted: { ...this.#noted, [id]: now } }
          : { result: false }
      }
      default:
        throw new Error(`Not a method of the contract: ${method}`)
    }
  }
}

function isOf(grant: Grant, { tenantId, subject, clientId }: GrantOwner): boolean {
  return grant.tenantId === tenantId && grant.subject === subject && (clientId ?? grant.clientId) === grant.clientId
}

function isSame(one: Id, other: Id): boolean {
  return one.grantId === other.grantId && one.tenantId === other.tenantId
}

function create(
  { deadline, lifetime, endsAfter, assertedAt = Number.POSITIVE_INFINITY, ...agreed }: NewGrant,
  present: Grant | undefined,
  noted: Notes,
  now: number,
): Step {
  const answer = (result: CreateResult) => ({ result })
  if (present) return answer({ outcome: 'taken', grant: present, now })
  const isEnded = endMarks(agreed).some((mark) => (noted[mark] ?? Number.NEGATIVE_INFINITY) >= assertedAt)
  if (isEnded) return answer({ outcome: 'ended', now })
  if (deadline <= now) return answer({ outcome: 'late', now })
  const ends = endsAfter === undefined ? {} : { endsAt: now + endsAfter }
  const expiresAt = now + Math.min(lifetime, endsAfter ?? lifetime)
  const grant: Grant = { ...agreed, createdAt: now, expiresAt, ...ends }
  return { ...answer({ outcome: 'created', grant, now }), at: grant, written: grant }
}

function swap(asked: CredentialSwap, grant: Grant | undefined, now: number): Step {
  const answer = (result: SwapResult) => ({ result })
  if (!grant) return answer({ outcome: 'missing', now })
  if (grant.credential?.hash !== asked.from) return answer({ outcome: 'mismatch', grant, now })
  if (asked.resource !== undefined && asked.resource !== grant.resource) {
    return answer({ outcome: 'wrong_resource', grant, now })
  }
  const made = grant.swap
  const isNew = made?.redeemed === 'refresh_token' && made.at <= now && now < made.at + asked.rest
  if (isNew) return answer({ outcome: 'fresh', grant, now })
  if (asked.deadline <= now) return answer({ outcome: 'late', now })
  const at = Math.max(now, made ? made.at : grant.createdAt)
  const olds = (grant.redeemed ?? []).filter((old) => old.at + asked.remember >= at)
  const { request: _, ...kept } = grant
  const swapped: Grant = {
    ...kept,
    credential: { kind: 'refresh_token', hash: asked.to },
    swap: { attempt: asked.attempt, at, redeemed: grant.credential.kind },
    redeemed: [...asked.redeems.map((hash) => ({ mark: hash.slice(0, 8), at })), ...olds].slice(0, 16),
    expiresAt: Math.min(now + asked.lifetime, grant.endsAt ?? Number.POSITIVE_INFINITY),
  }
  return { ...answer({ outcome: 'swapped', grant: swapped, now }), at: grant, written: swapped }
}

function reverse(
  { to, attempts, deadline, credential, code }: SwapReversal,
  grant: Grant | undefined,
  now: number,
): Step {
  const answer = (outcome: ReversalResult['outcome']) => ({ result: { outcome, now } })
  if (!grant) return answer('missing')
  const { swap: made, endsAt } = grant
  if (!made || grant.credential?.hash !== to || !attempts.includes(made.attempt)) return answer('mismatch')
  if (deadline <= now) return answer('late')
  const [, ...redeemed] = grant.redeemed ?? []
  const { swap: _, ...kept } = { ...grant, credential, redeemed }
  const expiresAt = Math.min(grant.createdAt + (code?.lifetime ?? 0), endsAt ?? Number.POSITIVE_INFINITY)
  const written: Grant = code
    ? { ...kept, request: code.request, expiresAt }
    : { ...kept, swap: { ...made, at: redeemed[0]?.at ?? grant.createdAt } }
  return { ...answer('reversed'), at: grant, written }
}
