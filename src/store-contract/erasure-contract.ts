import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant, NewGrant } from '../contract/token-store'
import { minute, newId, type StoreTest, type Trial } from './records'

/** Tests that nothing is left in the store of what has been ended or deleted, except for a mark, which names nobody and expires. */
export function erasureContract({ describe, test }: StoreTest): void {
  describe('what is left in the store', () => {
    test('is nothing of a customer whose grants have all been ended', async (trial) => {
      const of = { tenantId: randomUUID(), subject: randomUUID() }
      const grants = [await trial.create(of), await trial.redeem(await trial.create(of)), ...(await expired(trial, of))]
      const deleted = await trial.create(of)
      await trial.store.deleteGrant(deleted.tenantId, deleted.grantId)
      await expectTraces(trial.contents, of.tenantId, of.subject)
      await trial.end(of)
      await expectNoTraces(trial.contents, ...tracesOf([...grants, deleted]))
    })

    test('is nothing of a customer all of whose grants had expired before they were ended', async (trial) => {
      const of = { tenantId: randomUUID(), subject: randomUUID() }
      const grants = await expired(trial, of)
      await trial.end(of)
      await expectNoTraces(trial.contents, ...tracesOf(grants))
    })

    test('is nothing of a tenant that has been deleted', async (trial) => {
      const [tenantId, id, expiredId] = [randomUUID(), newId(), newId()]
      const of = { tenantId }
      const grants = [await trial.create(of), await trial.redeem(await trial.create(of)), ...(await expired(trial, of))]
      await trial.store.useOnce(tenantId, id, minute)
      await trial.store.useOnce(tenantId, expiredId, 1)
      await expectTraces(trial.contents, tenantId, id)
      await trial.end({ tenantId, all: 'everything' })
      await expectNoTraces(trial.contents, ...tracesOf(grants), id, expiredId)
    })

    test('is everything of the other customers', async (trial) => {
      const mine = await trial.create()
      const theirs = await trial.create({ tenantId: mine.tenantId })
      await trial.end({ tenantId: mine.tenantId, subject: mine.subject })
      await expectNoTraces(trial.contents, mine.subject)
      await expectTraces(trial.contents, theirs.subject)
    })
  })
}

/** Two grants that have expired, of which one was redeemed before. */
async function expired({ create, redeem, expiryOf }: Trial, of: Partial<NewGrant>): Promise<Grant[]> {
  const grants = [await create({ ...of, lifetime: 50 }), await redeem(await create(of), { lifetime: 50 })]
  await Promise.all(grants.map(expiryOf))
  return grants
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
