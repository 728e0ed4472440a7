import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { GrantOwner, NewGrant, TokenStore } from '../contract/token-store'
import {
  clockOf,
  createGrant,
  createSoon,
  deleteGrants,
  findGrant,
  grantOf,
  listGrants,
  minute,
  newGrant,
  type StoreTest,
  until,
} from './records'

/** Tests what a store remembers of the owners whose grants were deleted. */
export function endedContract({ describe, test }: StoreTest): void {
  describe('a grant that rests on an assertion', () => {
    for (const [whose, ownerOf] of [
      ['its customer', ({ tenantId, subject }) => ({ tenantId, subject })],
      ['its client', ({ tenantId, clientId }) => ({ tenantId, clientId })],
      ['its customer and client', ({ tenantId, subject, clientId }) => ({ tenantId, subject, clientId })],
      ['its tenant', ({ tenantId }) => ({ tenantId, all: 'grants' })],
      ['its tenant, with everything of it,', ({ tenantId }) => ({ tenantId, all: 'everything' })],
    ] as readonly [string, (grant: NewGrant) => GrantOwner][]) {
      test(`is not created if ${whose} was ended since, even if there was nothing to end`, async (store) => {
        const grant = newGrant({ assertedAt: await clockOf(store) })
        await deleteGrants(store, ownerOf(grant))
        assert.equal((await createSoon(store, grant)).outcome, 'ended')
        assert.equal((await store.createGrant({ ...grant, deadline: 0 })).outcome, 'ended')
        assert.equal(await findGrant(store, grant), undefined)
        assert.deepEqual(await listGrants(store, { tenantId: grant.tenantId }), [])
      })

      test(`is created if ${whose} was ended before, and so is every other grant`, async (store) => {
        const ended = newGrant({})
        await deleteGrants(store, ownerOf(ended))
        const later = { ...ended, assertedAt: (await clockOf(store)) + minute }
        const created = await createSoon(store, later)
        assert.equal(created.outcome, 'created')
        assert.equal('assertedAt' in grantOf(created), false)
        const { tenantId, subject } = ended
        await createGrant(store, { ...ended, grantId: newGrant({ tenantId, subject }).grantId })
      })
    }

    test('is not created if its customer was ended for a second time since', async (store) => {
      const { tenantId, subject, ...others } = newGrant({})
      await deleteGrants(store, { tenantId, subject })
      const assertedAt = (await clockOf(store)) + 1
      await until(async () => (await clockOf(store)) >= assertedAt)
      await deleteGrants(store, { tenantId, subject })
      assert.equal((await createSoon(store, { ...others, tenantId, subject, assertedAt })).outcome, 'ended')
    })

    test('is created although others were ended since', async (store) => {
      const grant = newGrant({ assertedAt: await clockOf(store) })
      const { tenantId, subject, clientId } = grant
      for (const owner of [
        { tenantId, subject: randomUUID() },
        { tenantId, clientId: randomUUID() },
        { tenantId, subject: randomUUID(), clientId },
        { tenantId, subject, clientId: randomUUID() },
        { tenantId: randomUUID(), subject },
        { tenantId: `${tenantId}x`, all: 'everything' },
      ] as const) {
        await deleteGrants(store, owner)
      }
      assert.equal((await createSoon(store, grant)).outcome, 'created')
    })

    test('has a taken id, even if its customer was ended since', async (store) => {
      const grant = newGrant({ assertedAt: await clockOf(store) })
      await deleteGrants(store, { tenantId: grant.tenantId, subject: grant.subject })
      const { assertedAt: _, ...other } = grant
      const there = grantOf(await createSoon(store, other))
      const result = await createSoon(store, grant)
      assert.equal(result.outcome, 'taken')
      assert.deepEqual(grantOf(result), there)
    })

    test('is never left if it is created while its customer is ended', async (store) => {
      const { tenantId, subject } = newGrant({})
      const assertedAt = await clockOf(store)
      const creations = Array.from({ length: 60 }, async (_, index) => {
        await waitFor(store, index % 6)
        return createSoon(store, newGrant({ tenantId, subject, assertedAt }))
      })
      await waitFor(store, 6)
      await deleteGrants(store, { tenantId, subject })
      await Promise.all(creations)
      assert.deepEqual(await listGrants(store, { tenantId, subject }), [])
    })
  })
}

/** Waits for some calls of the store, so that those of several callers come in many orders. */
async function waitFor(store: TokenStore, calls: number): Promise<void> {
  for (let call = 0; call < calls; call++) await store.findGrant(randomUUID(), randomUUID())
}
