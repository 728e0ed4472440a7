import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant, TokenStore } from '../contract/token-store'
import { createGrant, deleteGrants, findGrant, grantOf, minute, newId, type StoreTest, swapOf, until } from './records'

/** Tests that nothing is left in the store of what has been ended or deleted, except for a mark, which names nobody and expires. */
export function erasureContract({ describe, test }: StoreTest): void {
  describe('what is left in the store', () => {
    test('is nothing of a customer whose grants have all been ended', async (store, contents) => {
      const of = { tenantId: randomUUID(), subject: randomUUID() }
      const grants = [
        await createGrant(store, of),
        await swapGrant(store, await createGrant(store, of)),
        await ofThePast(store, await createGrant(store, { ...of, lifetime: 50 })),
        await ofThePast(store, await swapGrant(store, await createGrant(store, of), 50)),
      ]
      const deleted = await createGrant(store, of)
      await store.deleteGrant(deleted.tenantId, deleted.grantId)
      await expectTraces(contents, of.tenantId, of.subject)
      await deleteGrants(store, of)
      await expectNoTraces(contents, ...tracesOf([...grants, deleted]))
    })

    test('is nothing of a customer all of whose grants had expired before they were ended', async (store, contents) => {
      const of = { tenantId: randomUUID(), subject: randomUUID() }
      const code = await createGrant(store, { ...of, lifetime: 50 })
      const connected = await swapGrant(store, await createGrant(store, of), 50)
      for (const grant of [code, connected]) await ofThePast(store, grant)
      await deleteGrants(store, of)
      await expectNoTraces(contents, ...tracesOf([code, connected]))
    })

    test('is nothing of a tenant that has been deleted', async (store, contents) => {
      const [tenantId, id, expiredId] = [randomUUID(), newId(), newId()]
      const grants = [
        await createGrant(store, { tenantId }),
        await swapGrant(store, await createGrant(store, { tenantId })),
        await ofThePast(store, await createGrant(store, { tenantId, lifetime: 50 })),
        await ofThePast(store, await swapGrant(store, await createGrant(store, { tenantId }), 50)),
      ]
      await store.useOnce(tenantId, id, minute)
      await store.useOnce(tenantId, expiredId, 1)
      await expectTraces(contents, tenantId, id)
      await deleteGrants(store, { tenantId, all: 'everything' })
      await expectNoTraces(contents, ...tracesOf(grants), id, expiredId)
    })

    test('is everything of the other customers', async (store, contents) => {
      const mine = await createGrant(store, {})
      const theirs = await createGrant(store, { tenantId: mine.tenantId })
      await deleteGrants(store, { tenantId: mine.tenantId, subject: mine.subject })
      await expectNoTraces(contents, mine.subject)
      await expectTraces(contents, theirs.subject)
    })
  })
}

async function swapGrant(store: TokenStore, grant: Grant, lifetime = minute): Promise<Grant> {
  return grantOf(await store.swapCredential({ ...swapOf(grant), lifetime }))
}

/** Waits until a grant has expired. */
async function ofThePast(store: TokenStore, grant: Grant): Promise<Grant> {
  await until(async () => (await findGrant(store, grant)) === undefined)
  return grant
}

/** Every text in the store that could name a customer who is alone in a tenant. */
function tracesOf(grants: readonly Grant[]): string[] {
  return grants.flatMap(({ tenantId, subject, grantId }) => [tenantId, subject, partsOf(grantId)].flat())
}

/** A store may keep the part of a grant's id that names the customer apart from the rest. */
function partsOf(grantId: string): string[] {
  return [grantId.slice(0, 12), grantId.slice(12)]
}

async function expectTraces(contents: () => Promise<string>, ...traces: string[]): Promise<void> {
  const text = await contents()
  for (const trace of traces) assert.ok(text.includes(trace), `The contents of the store do not show ${trace}`)
}

async function expectNoTraces(contents: () => Promise<string>, ...traces: string[]): Promise<void> {
  const text = await contents()
  for (const trace of traces) assert.ok(!text.includes(trace), `The store still holds ${trace}`)
}
