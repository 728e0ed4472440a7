import type { TokenStore } from 'customer-sign-in/store'
import {
  clockOf,
  createGrant,
  createSoon,
  definedMembers,
  deleteGrants,
  findGrant,
  listGrants,
  newGrant,
  newId,
  reversalOf,
  swapOf,
  unicode,
} from '../../src/store-contract/records'
import { recordsOf } from './records'

const day = 86_400_000

/**
 * Calls every method of a store, to each of its outcomes. Rejects if the database refuses a call, and if a value comes back in another way
 * than it was stored, as by another driver or protocol.
 */
export async function everyMethod(store: TokenStore): Promise<void> {
  const assertedAt = await clockOf(store)
  const other = newGrant({ assertedAt })
  expect(await deleteGrants(store, { tenantId: other.tenantId, clientId: other.clientId })).toEqual([])
  expect((await createSoon(store, other)).outcome).toBe('ended')

  const { tenantId, subject } = newGrant({ subject: unicode })
  const members = { tenantId, subject, claims: { [unicode]: [null, 1.5, unicode] }, consentTo: unicode }
  const grant = await createGrant(store, { ...members, endsAfter: day })
  const { grantId, clientId } = grant
  expect(grant).toMatchObject({ ...members, endsAt: grant.createdAt + day })
  expect(await findGrant(store, grant)).toEqual(grant)
  const same = newGrant({ tenantId, grantId })
  expect(definedMembers(await createSoon(store, same))).toMatchObject({ outcome: 'taken', grant })

  const swap = swapOf(grant)
  const outcome = async (change: Partial<typeof swap>) => (await store.swapCredential({ ...swap, ...change })).outcome
  expect(await outcome({ grantId: same.clientId })).toBe('missing')
  expect(await outcome({ from: 'other' })).toBe('mismatch')
  expect(await outcome({ resource: 'urn:other' })).toBe('wrong_resource')
  expect(await outcome({ deadline: 0 })).toBe('late')
  expect(await outcome({ resource: grant.resource })).toBe('swapped')
  const code = { kind: 'code' as const, hash: swap.from }
  const { request = { redirectUri: '', codeChallenge: '' } } = grant
  const reversal = { ...reversalOf(swap), credential: code, code: { request, lifetime: 1000 * 60 } }
  expect((await store.reverseSwap({ ...reversal, attempts: ['other'] })).outcome).toBe('mismatch')
  expect((await store.reverseSwap({ ...reversal, deadline: 0 })).outcome).toBe('late')
  expect((await store.reverseSwap({ ...reversal, grantId: same.clientId })).outcome).toBe('missing')
  expect((await store.reverseSwap(reversal)).outcome).toBe('reversed')
  expect(await outcome({})).toBe('swapped')
  const next = { from: swap.to, to: 'next', redeems: [swap.to], attempt: 'second' }
  expect(await outcome(next)).toBe('swapped')
  expect((await store.reverseSwap({ ...reversalOf({ ...swap, ...next }) })).outcome).toBe('reversed')
  expect(await outcome(next)).toBe('swapped')
  expect(await outcome({ from: 'next', to: 'last', redeems: ['next'], rest: day })).toBe('fresh')
  const { redeemed = [], ...refreshed } = (await findGrant(store, grant)) ?? grant
  expect(redeemed.map(({ mark }) => [swap.to, swap.from].findIndex((hash) => hash.startsWith(mark)))).toEqual([0, 1])
  expect(refreshed).toMatchObject({ credential: { kind: 'refresh_token', hash: 'next' }, swap: { attempt: 'second' } })

  const another = await createGrant(store, { tenantId, subject, clientId: unicode })
  expect(await recordsOf(store, tenantId, subject)).toHaveLength(2)
  const page = await store.listGrants({ tenantId, subject, limit: 1 })
  expect([page.grants.length, typeof page.next]).toEqual([1, 'string'])
  expect((await listGrants(store, { tenantId, limit: 1 })).length).toBe(2)
  expect((await deleteGrants(store, { tenantId, clientId })).map((deleted) => deleted.grantId)).toEqual([grantId])
  expect(await store.deleteGrant(tenantId, another.grantId)).toBe(true)
  expect(await store.deleteGrant(tenantId, another.grantId)).toBe(false)
  expect(await store.findGrant(tenantId, grantId)).toBeUndefined()

  const id = newId()
  expect([await store.useOnce(tenantId, id, day), await store.useOnce(tenantId, id, day)]).toEqual([true, false])
  await createGrant(store, { tenantId, subject })
  expect(await deleteGrants(store, { tenantId, all: 'everything' })).toHaveLength(1)
  expect(await store.useOnce(tenantId, id, day)).toBe(true)
}
