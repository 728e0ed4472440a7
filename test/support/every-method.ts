import type { TokenStore } from 'customer-sign-in/store'
import { createGrant, reversalOf, swapOf } from '../../src/store-contract/records'
import { recordsOf } from './records'

const day = 86_400_000

/** Calls every method of a store. Rejects if the database refuses one. */
export async function everyMethod(store: TokenStore): Promise<void> {
  const grant = await createGrant(store, { subject: 'ada' })
  const { tenantId, grantId, clientId } = grant
  const swap = swapOf(grant)
  expect(await store.swapCredential(swap)).toMatchObject({ outcome: 'swapped' })
  expect(await store.reverseSwap(reversalOf(swap))).toMatchObject({ outcome: 'reversed' })
  expect(await store.findGrant(tenantId, grantId)).toBeDefined()
  expect(await recordsOf(store, tenantId, 'ada')).toHaveLength(1)
  expect(await store.listGrants({ tenantId, limit: 10 })).toMatchObject({ grants: [{ grantId }] })
  const ended: string[] = []
  for await (const { grantId } of store.deleteGrants({ tenantId, clientId })) ended.push(grantId)
  expect(ended).toEqual([grantId])
  await store.deleteGrant(tenantId, grantId)

  expect(await store.useOnce(tenantId, 'an id', day)).toBe(true)
  for await (const _ of store.deleteGrants({ tenantId, all: 'everything' }))
    throw new Error('Its only grant has been deleted before')
}
