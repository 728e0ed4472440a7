import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import type {
  CreateResult,
  CredentialSwap,
  Grant,
  NewGrant,
  SwapResult,
  SwapReversal,
  TokenStore,
} from '../contract/token-store'
import { customerHandle } from '../protocol/customer-handle'

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
export const unicode = 'a b\u0000"\\{}:\u00e9\u4e2d\ud83d\ude00\u202e\n'

/** Milliseconds, long enough for every store to answer. */
const soon = 60_000

export function newGrant(members: Partial<NewGrant>): NewGrant {
  const { tenantId = randomUUID(), subject = randomUUID() } = members
  return {
    tenantId,
    grantId: customerHandle(tenantId, subject) + randomUUID().slice(0, 16),
    clientId: 'https://client.example/metadata',
    subject,
    scopes: ['profile', 'calendar'],
    resource: 'https://api.example/mcp',
    credential: { kind: 'code', hash: randomUUID() },
    request: { redirectUri: 'https://client.example/callback?a=b', codeChallenge: randomUUID() },
    lifetime: hour,
    deadline: 0,
    ...members,
  }
}

/** Stores a grant, and returns it as the store has stored it. */
export async function createGrant(store: TokenStore, members: Partial<NewGrant>): Promise<Grant> {
  return grantOf(await createSoon(store, newGrant(members)))
}

/** Stores a grant with a deadline by the store's clock, which is known only from the store's answers. */
export async function createSoon(store: TokenStore, grant: NewGrant): Promise<CreateResult> {
  return store.createGrant({ ...grant, deadline: (await clockOf(store)) + soon })
}

/** The time by the store's clock. It asks for a grant whose deadline has passed, because that writes nothing. */
export async function clockOf(store: TokenStore): Promise<number> {
  return (await store.createGrant({ ...newGrant({}), deadline: 0 })).now
}

/** An id for `useOnce`. */
export function newId(): string {
  return randomBytes(32).toString('base64url')
}

/** A swap of the live credential, with a deadline that no test reaches. */
export function swapOf({ tenantId, grantId, credential: { hash }, createdAt }: Grant): CredentialSwap {
  const grant = { tenantId, grantId }
  const credentials = { from: hash, to: randomUUID(), redeems: [hash], attempt: randomUUID() }
  const deadline = createdAt + 30 * day
  return { ...grant, ...credentials, remember: hour, rest: 0, lifetime: 2 * hour, deadline }
}

/** The reversal of a swap. */
export function reversalOf({ tenantId, grantId, from: hash, to, attempt, deadline }: CredentialSwap): SwapReversal {
  return { tenantId, grantId, to, attempts: [attempt], credential: { kind: 'refresh_token', hash }, deadline }
}

export async function findGrant(
  store: TokenStore,
  { tenantId, grantId }: { tenantId: string; grantId: string },
): Promise<Grant | undefined> {
  return definedMembers(await store.findGrant(tenantId, grantId))
}

export function grantOf(result: SwapResult | CreateResult): Grant {
  if (!('grant' in result)) assert.fail(`The store says ${result.outcome}`)
  return definedMembers(result.grant)
}

/** Drops undefined members: a store may leave out an absent member, or return it as undefined. */
export function definedMembers<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value))
}

export function byId(grants: readonly Grant[]): Grant[] {
  return definedMembers([...grants]).sort((a, b) => a.grantId.localeCompare(b.grantId))
}

/** Waits until a condition holds. It is for what only time brings, such as an expiry. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, 'The condition did not hold within 10 seconds')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Does some work while the clock of this process is set to another time. Timers go on as usual. */
export async function atAnotherTime(offset: number, work: () => Promise<void>): Promise<void> {
  const { now } = Date
  Date.now = () => now.call(Date) + offset
  try {
    await work()
  } finally {
    Date.now = now
  }
}
