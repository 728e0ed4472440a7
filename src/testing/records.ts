import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { customerHandle } from '../protocol/customer-handle'
import type {
  CreateResult,
  CredentialSwap,
  Grant,
  NewClient,
  NewGrant,
  SwapResult,
  SwapReversal,
  TokenStore,
} from '../stores/token-store'

export const minute = 60_000
export const hour = 60 * minute
export const unicode = 'a b\u0000"\\{}:\u00e9\u4e2d\ud83d\ude00\u202e\n'

/** Long enough for every store to take it up. */
const soon = 10_000

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

/** Stores a grant, and gives it as the store says that it has stored it. */
export async function created(store: TokenStore, members: Partial<NewGrant>): Promise<Grant> {
  return grantOf(await createSoon(store, newGrant(members)))
}

/** As a caller does that knows the store's clock by its answers alone. */
export async function createSoon(store: TokenStore, grant: NewGrant): Promise<CreateResult> {
  return store.createGrant({ ...grant, deadline: (await clockOf(store)) + soon })
}

/** The time that the store tells. It is asked to create a grant that comes too late, as that writes nothing. */
export async function clockOf(store: TokenStore): Promise<number> {
  return (await store.createGrant({ ...newGrant({}), deadline: 0 })).now
}

export function newClient(members: Partial<NewClient>): NewClient {
  return {
    tenantId: randomUUID(),
    clientId: randomUUID(),
    redirectUris: ['https://client.example/callback', 'http://localhost/callback'],
    lifetime: hour,
    ...members,
  }
}

/** A swap of what is live, with a deadline that no test reaches. */
export function swapOf({ tenantId, grantId, credential: { hash }, createdAt }: Grant): CredentialSwap {
  const grant = { tenantId, grantId }
  const credentials = { from: hash, to: randomUUID(), redeems: [hash], attempt: randomUUID() }
  const deadline = createdAt + 30 * 24 * hour
  return { ...grant, ...credentials, remember: hour, rest: 0, lifetime: 2 * hour, deadline }
}

/** Takes back what a swap has done. */
export function reversalOf({ tenantId, grantId, from: hash, to, attempt, deadline }: CredentialSwap): SwapReversal {
  return { tenantId, grantId, to, attempts: [attempt], credential: { kind: 'refresh_token', hash }, deadline }
}

export async function found(
  store: TokenStore,
  { tenantId, grantId }: { tenantId: string; grantId: string },
): Promise<Grant | undefined> {
  return definedMembers(await store.findGrant(tenantId, grantId))
}

export function grantOf(result: SwapResult | CreateResult): Grant {
  if (!('grant' in result)) assert.fail(`The store says ${result.outcome}`)
  return definedMembers(result.grant)
}

/** A store may leave an absent member out or hold it as undefined. */
export function definedMembers<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value))
}

export function byId(grants: readonly Grant[]): Grant[] {
  return definedMembers([...grants]).sort((a, b) => a.grantId.localeCompare(b.grantId))
}

/** Expiry is the one thing that only time shows. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, 'It has not happened within 10 seconds')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** Works while this process believes that it is another time; the timers go on as ever. */
export async function atAnotherTime(offset: number, work: () => Promise<void>): Promise<void> {
  const { now } = Date
  Date.now = () => now.call(Date) + offset
  try {
    await work()
  } finally {
    Date.now = now
  }
}
