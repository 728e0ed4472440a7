import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  type CreateResult,
  type CredentialSwap,
  type Grant,
  type GrantOwner,
  type GrantPageRequest,
  liveHash,
  type NewGrant,
  type SwapResult,
  type SwapReversal,
  type TokenStore,
} from '../contract/token-store'
import { customerHandle } from '../protocol/customer-handle'

/** The test functions of jest, vitest, mocha or `node:test`. */
export interface TestRunner {
  /** Groups the tests that `define` defines. */
  describe(name: string, define: () => void): unknown
  /** Defines a test, which fails by rejecting. */
  it(name: string, test: () => Promise<void>): unknown
}

/** How a part of the contract defines its tests. Each test gets a store, and a function that returns everything in it as text. */
export interface StoreTest extends Pick<TestRunner, 'describe'> {
  test(name: string, run: (store: TokenStore, contents: () => Promise<string>) => Promise<void>): void
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
export const otherClient = 'https://other-client.example/metadata'
export const unicode = 'a b\u0000"\\{}:\u00e9\u4e2d\ud83d\ude00\u202e\n'

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

/** Grants of five customers, with a code for one client and a refresh token for another, at a tenant (`own`) and at one whose id begins alike. */
export async function createSeveral(store: TokenStore): Promise<{ tenantId: string; own: Grant[]; all: Grant[] }> {
  const tenantId = `${randomUUID()}*`
  const all: Grant[] = []
  for (let count = 0; count < 5; count++) {
    const subject = randomUUID()
    for (const at of [tenantId, `${tenantId}x`]) {
      all.push(await createGrant(store, { tenantId: at, subject }))
      all.push(await redeem(store, swapOf(await createGrant(store, { tenantId: at, subject, clientId: otherClient }))))
    }
  }
  return { tenantId, own: all.filter((grant) => grant.tenantId === tenantId), all }
}

/** Whether a grant is one of this tenant, customer and client. Not the library's own function, which a store may use. */
export function isMeant(grant: Grant, of: Omit<GrantPageRequest, 'limit'>): boolean {
  const { tenantId, subject = grant.subject, clientId = grant.clientId } = of
  return grant.tenantId === tenantId && grant.subject === subject && grant.clientId === clientId
}

/** Stores a grant with a deadline in a minute by the store's clock, which is known only from the store's answers. */
export async function createSoon(store: TokenStore, grant: NewGrant): Promise<CreateResult> {
  return store.createGrant({ ...grant, deadline: (await clockOf(store)) + minute })
}

/** Stores a grant, and waits until it has expired. */
export async function createExpired(store: TokenStore, members: Partial<NewGrant>): Promise<Grant> {
  return expired(store, await createGrant(store, { ...members, lifetime: 50 }))
}

/** Waits until a grant has expired, and returns it. */
export async function expired(store: TokenStore, grant: Grant): Promise<Grant> {
  await until(async () => (await findGrant(store, grant)) === undefined)
  return grant
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
export function swapOf({ tenantId, grantId, credential, createdAt }: Grant): CredentialSwap {
  const hash = liveHash({ credential }) || randomUUID()
  const grant = { tenantId, grantId }
  const credentials = { from: hash, to: randomUUID(), redeems: [hash], attempt: randomUUID() }
  const deadline = createdAt + 30 * day
  return { ...grant, ...credentials, remember: hour, rest: 0, lifetime: 2 * hour, deadline }
}

/** Makes a swap that must succeed, and returns the grant as it is then. */
export async function redeem(store: TokenStore, swap: CredentialSwap): Promise<Grant> {
  const result = await store.swapCredential(swap)
  assert.equal(result.outcome, 'swapped')
  return grantOf(result)
}

/** Asserts that a swap is refused, with the grant as it is, and writes nothing. */
export async function assertRefused(store: TokenStore, grant: Grant, swap: CredentialSwap, outcome: string) {
  const result = await store.swapCredential(swap)
  assert.equal(result.outcome, outcome)
  assert.deepEqual(grantOf(result), grant)
  assert.deepEqual(await findGrant(store, grant), grant)
}

/** The reversal of a swap. */
export function reversalOf({ tenantId, grantId, from: hash, to, attempt, deadline }: CredentialSwap): SwapReversal {
  return { tenantId, grantId, to, attempts: [attempt], credential: { kind: 'refresh_token', hash }, deadline }
}

export async function findGrant(store: TokenStore, { tenantId, grantId }: Pick<Grant, 'tenantId' | 'grantId'>) {
  return definedMembers(await store.findGrant(tenantId, grantId))
}

export function grantOf(result: SwapResult | CreateResult): Grant {
  if (!('grant' in result)) assert.fail(`The store says ${result.outcome}`)
  return definedMembers(result.grant)
}

/** When the credential of a grant was last redeemed. 0 if it never was. */
export function redeemedAt({ swap }: Grant): number {
  return swap?.at ?? 0
}

/** Drops undefined members: a store may leave out an absent member, or return it as undefined. */
export function definedMembers<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value))
}

export function byId(grants: readonly Grant[]): Grant[] {
  return definedMembers([...grants]).sort((a, b) => a.grantId.localeCompare(b.grantId))
}

/** All pages, which must end before the hundredth. Asserts of each that it is not larger than the limit and has no grant twice. */
export async function* pages(store: TokenStore, of: GrantPageRequest): AsyncIterable<Grant[]> {
  let after: string | undefined
  for (let count = 0; count < 100; count++) {
    const page = await store.listGrants({ ...of, ...(after !== undefined && { after }) })
    const ids = page.grants.map(({ grantId }) => grantId)
    assert.ok(ids.length <= of.limit, `A page of ${ids.length} grants is larger than ${of.limit}`)
    assert.deepEqual([...new Set(ids)], ids)
    yield page.grants
    after = page.next
    if (after === undefined) return
  }
  assert.fail('The pages do not end')
}

/** The grants of all pages, in the order of their ids. */
export async function listGrants(store: TokenStore, of: { tenantId: string } & Partial<GrantPageRequest>) {
  const grants: Grant[] = []
  for await (const page of pages(store, { limit: 1000, ...of })) grants.push(...page)
  return byId(grants)
}

/** The customer of a grant, as the owner of grants. */
export function customerOf({ tenantId, subject }: Pick<Grant, 'tenantId' | 'subject'>) {
  return { tenantId, subject }
}

/** Deletes grants, and returns those that the store yields, in the order of their ids. */
export async function deleteGrants(store: TokenStore, owner: GrantOwner): Promise<Grant[]> {
  const grants: Grant[] = []
  for await (const grant of store.deleteGrants(owner)) grants.push(grant)
  return byId(grants)
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
