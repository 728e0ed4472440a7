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

/** How a part of the contract defines its tests. Each test gets a store of its own. */
export interface StoreTest extends Pick<TestRunner, 'describe'> {
  test(name: string, run: (trial: Trial) => Promise<void>): void
}

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
export const unicode = 'a b\u0000"\\{}:\u00e9\u4e2d\ud83d\ude00\u202e\n'

/** Milliseconds, long enough for every store to answer. */
const soon = 60_000
// More pages than any test here needs. A store that never ends them would otherwise never end the test.
const maxPages = 100

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

/** A store on trial, with what its tests ask of it most often. */
export type Trial = ReturnType<typeof onTrial>

/** @param contents Returns everything in the store as text. */
export function onTrial(store: TokenStore, contents = async (): Promise<string> => '') {
  /** The time by the store's clock. It asks for a grant whose deadline has passed, because that writes nothing. */
  const clock = async () => (await store.createGrant({ ...newGrant({}), deadline: 0 })).now

  /** Stores a grant with a deadline by the store's clock, which is known only from the store's answers. */
  const createSoon = async (grant: NewGrant) => store.createGrant({ ...grant, deadline: (await clock()) + soon })

  /** Stores a grant, and returns it as the store has stored it. */
  const create = async (members: Partial<NewGrant> = {}) => grantOf(await createSoon(newGrant(members)))

  const find = async ({ tenantId, grantId }: Pick<Grant, 'tenantId' | 'grantId'>) =>
    definedMembers(await store.findGrant(tenantId, grantId))

  /** Redeems the credential of a grant, and returns the grant as it is then. */
  const redeem = async (grant: Grant, more: Partial<CredentialSwap> = {}) =>
    grantOf(await store.swapCredential({ ...swapOf(grant), ...more }))

  /** Sends a swap that is to be refused: the grant stays as it is, and so is the one that the answer shows. @returns The outcome. */
  const refusalOf = async (grant: Grant, more: Partial<CredentialSwap> = {}) => {
    const result = await store.swapCredential({ ...swapOf(grant), ...more })
    if ('grant' in result) assert.deepEqual(grantOf(result), grant)
    assert.deepEqual(await find(grant), grant)
    return result.outcome
  }

  /** All pages. Asserts of each that it is not larger than the limit and has no grant twice. */
  async function* pages(of: GrantPageRequest): AsyncIterable<Grant[]> {
    let after: string | undefined
    for (let count = 0; count < maxPages; count++) {
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
  const list = async ({ limit = 1000, ...of }: Omit<GrantPageRequest, 'limit'> & { limit?: number | undefined }) =>
    byId((await collected(pages({ ...of, limit }))).flat())

  /** Deletes grants, and returns those that the store yields, in the order of their ids. */
  const end = async (owner: GrantOwner) => byId(await collected(store.deleteGrants(owner)))

  /** Waits until a grant has expired. */
  const expiryOf = (grant: Pick<Grant, 'tenantId' | 'grantId'>) => until(async () => (await find(grant)) === undefined)

  return { store, contents, clock, createSoon, create, find, redeem, refusalOf, pages, list, end, expiryOf }
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Whose grant it is, for a list. */
export function customerOf({ tenantId, subject }: Pick<Grant, 'tenantId' | 'subject'>) {
  return { tenantId, subject }
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

/** The reversal of a swap. */
export function reversalOf({ tenantId, grantId, from: hash, to, attempt, deadline }: CredentialSwap): SwapReversal {
  return { tenantId, grantId, to, attempts: [attempt], credential: { kind: 'refresh_token', hash }, deadline }
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

/** Hosts whose clock is wrong, by how many milliseconds. */
export const wrongClocks = [
  ['ahead', day],
  ['behind', -day],
] as const

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
