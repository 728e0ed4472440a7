import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { atAnotherTime, day, minute, newId, type StoreTest, until } from './records'

/** Tests how a store notes what may be used once. */
export function useOnceContract({ describe, test }: StoreTest): void {
  describe('what may be used once', () => {
    test('is used by the first call alone', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      assert.equal(await store.useOnce(tenantId, id, minute), true)
      assert.equal(await store.useOnce(tenantId, id, minute), false)
      assert.equal(await store.useOnce(tenantId, id, minute), false)
    })

    test('is used by one of 50 parallel calls', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      const calls = Array.from({ length: 50 }, () => store.useOnce(tenantId, id, minute))
      const used = (await Promise.all(calls)).filter((isFirst) => isFirst)
      assert.equal(used.length, 1)
    })

    test('is separate for each id and each tenant', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      assert.equal(await store.useOnce(tenantId, id, minute), true)
      assert.equal(await store.useOnce(tenantId, newId(), minute), true)
      assert.equal(await store.useOnce(randomUUID(), id, minute), true)
      assert.equal(await store.useOnce(tenantId, id, minute), false)
    })

    test('is forgotten after its lifetime, and not extended by later calls', async (store) => {
      const [tenantId, id] = [randomUUID(), newId()]
      assert.equal(await store.useOnce(tenantId, id, 50), true)
      await until(() => store.useOnce(tenantId, id, minute))
      assert.equal(await store.useOnce(tenantId, id, minute), false)
    })

    for (const [host, offset] of Object.entries({ ahead: day, behind: -day })) {
      test(`is remembered by the clock of the store, even if the clock of the host is a day ${host}`, async (store) => {
        const [tenantId, id] = [randomUUID(), newId()]
        await atAnotherTime(offset, async () => {
          assert.equal(await store.useOnce(tenantId, id, minute), true)
          assert.equal(await store.useOnce(tenantId, id, minute), false)
        })
      })
    }
  })
}
