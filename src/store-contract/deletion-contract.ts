import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type Grant, type GrantOwner, isOwned } from '../contract/token-store'
import { byId, minute, newId, type StoreTest, unicode } from './records'

/** Tests how the grants of a customer, a client or a tenant are deleted, and everything of a tenant. */
export function deletionContract({ describe, test }: StoreTest): void {
  describe('deleteGrants', () => {
    const client = 'https://other-client.example/metadata'

    for (const [what, ownerOf] of [
      ['the grants of a customer, and returns them', ({ tenantId, subject }) => ({ tenantId, subject })],
      ['the grants of a client, and returns them', ({ tenantId }) => ({ tenantId, clientId: client })],
      [
        'the grants of one customer and one client, and returns them',
        ({ tenantId, subject }) => ({ tenantId, subject, clientId: client }),
      ],
      ['all grants of a tenant, and returns them, if it is told to', ({ tenantId }) => ({ tenantId, all: 'grants' })],
    ] as readonly [string, (of: { tenantId: string; subject: string }) => GrantOwner][]) {
      test(`ends ${what}`, async (trial) => {
        const [tenantId, ada, bob] = [`${randomUUID()}*`, randomUUID(), randomUUID()]
        const owner = ownerOf({ tenantId, subject: ada })
        const isMeant = (grant: Grant) => isOwned(grant, owner)
        const all: Grant[] = []
        for (const tenant of [tenantId, `${tenantId}x`]) {
          for (const subject of [ada, bob]) {
            all.push(await trial.create({ tenantId: tenant, subject }))
            all.push(await trial.create({ tenantId: tenant, subject, clientId: client }))
          }
        }
        assert.deepEqual(await trial.end(owner), byId(all.filter(isMeant)))
        for (const grant of all) assert.deepEqual(await trial.find(grant), isMeant(grant) ? undefined : grant)
      })
    }

    test('keeps the used ids of a tenant whose grants have all been ended', async (trial) => {
      const [tenantId, id] = [randomUUID(), newId()]
      await trial.store.useOnce(tenantId, id, minute)
      const grant = await trial.create({ tenantId })
      assert.deepEqual(await trial.end({ tenantId, all: 'grants' }), [grant])
      assert.equal(await trial.store.useOnce(tenantId, id, minute), false)
    })

    test('ends 300 grants of a client', async (trial) => {
      const tenantId = randomUUID()
      const grants = await Promise.all(Array.from({ length: 300 }, () => trial.create({ tenantId })))
      assert.deepEqual(await trial.end({ tenantId, clientId: grants[0]?.clientId ?? '' }), byId(grants))
    })

    test('ends the grants of a client that are left, however many there have been', async (trial) => {
      const { tenantId, clientId } = { tenantId: randomUUID(), clientId: randomUUID() }
      const left: Grant[] = []
      for (let times = 0; times < 60; times++) {
        const grant = await trial.create({ tenantId, clientId })
        if (times % 20 === 19) left.push(grant)
        else await trial.store.deleteGrant(tenantId, grant.grantId)
      }
      const other = await trial.create({ tenantId })
      assert.deepEqual(await trial.end({ tenantId, clientId }), byId(left))
      assert.deepEqual(await trial.find(other), other)
    })

    test('takes a client id of any length', async (trial) => {
      const [tenantId, clientId] = [randomUUID(), `dcr_${'x'.repeat(2044)}`]
      const grant = await trial.create({ tenantId, clientId })
      assert.deepEqual(await trial.end({ tenantId, clientId }), byId([grant]))
    })

    test('returns no grant that had ended before', async (trial) => {
      const tenantId = randomUUID()
      const deleted = await trial.create({ tenantId })
      const expired = await trial.create({ tenantId, lifetime: 50 })
      await trial.store.deleteGrant(tenantId, deleted.grantId)
      await trial.expiryOf(expired)
      assert.deepEqual(await trial.end({ tenantId, clientId: deleted.clientId }), [])
    })
  })

  describe('deleteGrants of a whole tenant', () => {
    test('ends all grants of a tenant, and returns them', async (trial) => {
      const tenantId = randomUUID()
      const code = await trial.create({ tenantId })
      const { subject } = code
      const refreshed = await trial.redeem(await trial.create({ tenantId, subject }))
      const elsewhere = await trial.create({ tenantId, clientId: randomUUID() })
      assert.deepEqual(await trial.end({ tenantId, all: 'everything' }), byId([code, refreshed, elsewhere]))
      for (const grant of [code, refreshed, elsewhere]) assert.equal(await trial.find(grant), undefined)
      assert.deepEqual(await trial.list({ tenantId, subject }), [])
    })

    test('makes its used ids free', async (trial) => {
      const [tenantId, id] = [randomUUID(), newId()]
      await trial.store.useOnce(tenantId, id, minute)
      await trial.end({ tenantId, all: 'everything' })
      assert.equal(await trial.store.useOnce(tenantId, id, minute), true)
    })

    for (const [others, idOf] of [
      ['a tenant with another id', () => randomUUID()],
      ['a tenant whose id begins alike', (id: string) => `${id}x`],
      ['a tenant whose id begins alike, with a colon', (id: string) => `${id}:x`],
      ['a tenant whose id is the same in capital letters', (id: string) => id.toUpperCase()],
    ] as const) {
      test(`keeps everything of ${others}`, async (trial) => {
        // Patterns of databases must be read literally.
        const tenantId = `a${randomUUID()}%_*`
        const other = idOf(tenantId)
        const id = newId()
        const grant = await trial.create({ tenantId: other })
        await trial.store.useOnce(other, id, minute)
        await trial.create({ tenantId, subject: grant.subject })
        await trial.store.useOnce(tenantId, id, minute)
        const [deleted, ...more] = await trial.end({ tenantId, all: 'everything' })
        assert.deepEqual([deleted?.tenantId, more], [tenantId, []])
        assert.deepEqual(await trial.find(grant), grant)
        assert.deepEqual(await trial.list({ tenantId: other, subject: grant.subject }), [grant])
        assert.equal(await trial.store.useOnce(other, id, minute), false)
      })
    }

    test('takes an id with any Unicode', async (trial) => {
      const tenantId = unicode + randomUUID()
      const grant = await trial.create({ tenantId, subject: unicode })
      const id = newId()
      await trial.store.useOnce(tenantId, id, minute)
      assert.deepEqual(await trial.end({ tenantId, all: 'everything' }), [grant])
      assert.equal(await trial.find(grant), undefined)
      assert.equal(await trial.store.useOnce(tenantId, id, minute), true)
    })

    test('ends 300 grants of many customers, and deletes 100 used ids', async (trial) => {
      const tenantId = randomUUID()
      const grants = await Promise.all(Array.from({ length: 300 }, () => trial.create({ tenantId })))
      const ids = Array.from({ length: 100 }, newId)
      await Promise.all(ids.map((id) => trial.store.useOnce(tenantId, id, minute)))
      assert.deepEqual(await trial.end({ tenantId, all: 'everything' }), byId(grants))
      for (const id of ids) assert.equal(await trial.store.useOnce(tenantId, id, minute), true)
    })

    test('returns no grant that had ended before', async (trial) => {
      const tenantId = randomUUID()
      const deleted = await trial.create({ tenantId })
      const expired = await trial.create({ tenantId, lifetime: 50 })
      await trial.store.deleteGrant(tenantId, deleted.grantId)
      await trial.expiryOf(expired)
      assert.deepEqual(await trial.end({ tenantId, all: 'everything' }), [])
    })

    test('deletes the rest after a call that was cut off', async (trial) => {
      const tenantId = randomUUID()
      const grants = [await trial.create({ tenantId }), await trial.create({ tenantId })]
      for await (const _ of trial.store.deleteGrants({ tenantId, all: 'everything' })) break
      await trial.end({ tenantId, all: 'everything' })
      for (const grant of grants) assert.equal(await trial.find(grant), undefined)
    })

    test('finds nothing of a tenant that does not exist', async (trial) => {
      assert.deepEqual(await trial.end({ tenantId: randomUUID(), all: 'everything' }), [])
    })
  })
}
