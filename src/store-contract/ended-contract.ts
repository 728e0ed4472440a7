import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { GrantOwner, NewGrant } from '../contract/token-store'
import { grantOf, minute, newGrant, type StoreTest, type Trial } from './records'

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
      test(`is not created if ${whose} was ended since, even if there was nothing to end`, async (trial) => {
        const grant = newGrant({ assertedAt: await trial.clock() })
        await trial.end(ownerOf(grant))
        assert.equal((await trial.createSoon(grant)).outcome, 'ended')
        assert.equal((await trial.store.createGrant({ ...grant, deadline: 0 })).outcome, 'ended')
        assert.equal(await trial.find(grant), undefined)
        assert.deepEqual(await trial.list({ tenantId: grant.tenantId }), [])
      })

      test(`is created if ${whose} was ended before, and so is every other grant`, async (trial) => {
        const ended = newGrant({})
        await trial.end(ownerOf(ended))
        const later = { ...ended, assertedAt: (await trial.clock()) + minute }
        const created = await trial.createSoon(later)
        assert.equal(created.outcome, 'created')
        assert.equal('assertedAt' in grantOf(created), false)
        const { tenantId, subject } = ended
        await trial.create({ ...ended, grantId: newGrant({ tenantId, subject }).grantId })
      })
    }

    test('is created although others were ended since', async (trial) => {
      const grant = newGrant({ assertedAt: await trial.clock() })
      const { tenantId, subject, clientId } = grant
      for (const owner of [
        { tenantId, subject: randomUUID() },
        { tenantId, clientId: randomUUID() },
        { tenantId, subject: randomUUID(), clientId },
        { tenantId, subject, clientId: randomUUID() },
        { tenantId: randomUUID(), subject },
        { tenantId: `${tenantId}x`, all: 'everything' },
      ] as const) {
        await trial.end(owner)
      }
      assert.equal((await trial.createSoon(grant)).outcome, 'created')
    })

    test('has a taken id, even if its customer was ended since', async (trial) => {
      const grant = newGrant({ assertedAt: await trial.clock() })
      await trial.end({ tenantId: grant.tenantId, subject: grant.subject })
      const { assertedAt: _, ...other } = grant
      const there = grantOf(await trial.createSoon(other))
      const result = await trial.createSoon(grant)
      assert.equal(result.outcome, 'taken')
      assert.deepEqual(grantOf(result), there)
    })

    test('is never left if it is created while its customer is ended', async (trial) => {
      const { tenantId, subject } = newGrant({})
      const assertedAt = await trial.clock()
      const creations = Array.from({ length: 60 }, async (_, index) => {
        await waitFor(trial, index % 6)
        return trial.createSoon(newGrant({ tenantId, subject, assertedAt }))
      })
      await waitFor(trial, 6)
      await trial.end({ tenantId, subject })
      await Promise.all(creations)
      assert.deepEqual(await trial.list({ tenantId, subject }), [])
    })
  })
}

/** Waits for some calls of the store, so that those of several callers come in many orders. */
async function waitFor({ store }: Trial, calls: number): Promise<void> {
  for (let call = 0; call < calls; call++) await store.findGrant(randomUUID(), randomUUID())
}
