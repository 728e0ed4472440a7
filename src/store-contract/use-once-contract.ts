import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { atAnotherTime, minute, newId, type StoreTest, until, wrongClocks } from './records'

/** Tests how a store notes what may be used once. */
export function useOnceContract({ describe, test }: StoreTest): void {
  describe('what may be used once', () => {
    test('is used by the first call alone', async (trial) => {
      const [tenantId, id] = [randomUUID(), newId()]
      assert.equal(await trial.store.useOnce(tenantId, id, minute), true)
      assert.equal(await trial.store.useOnce(tenantId, id, minute), false)
      assert.equal(await trial.store.useOnce(tenantId, id, minute), false)
    })

    test('is used by one of 50 parallel calls', async (trial) => {
      const [tenantId, id] = [randomUUID(), newId()]
      const calls = Array.from({ length: 50 }, () => trial.store.useOnce(tenantId, id, minute))
      const used = (await Promise.all(calls)).filter((isFirst) => isFirst)
      assert.equal(used.length, 1)
    })

    test('is separate for each id and each tenant', async (trial) => {
      const [tenantId, id] = [randomUUID(), newId()]
      assert.equal(await trial.store.useOnce(tenantId, id, minute), true)
      assert.equal(await trial.store.useOnce(tenantId, newId(), minute), true)
      assert.equal(await trial.store.useOnce(randomUUID(), id, minute), true)
      assert.equal(await trial.store.useOnce(tenantId, id, minute), false)
    })

    test('is forgotten after its lifetime, and not extended by later calls', async (trial) => {
      const [tenantId, id] = [randomUUID(), newId()]
      assert.equal(await trial.store.useOnce(tenantId, id, 50), true)
      await until(() => trial.store.useOnce(tenantId, id, minute))
      assert.equal(await trial.store.useOnce(tenantId, id, minute), false)
    })

    for (const [host, offset] of wrongClocks) {
      test(`is remembered by the clock of the store, even if the clock of the host is a day ${host}`, async (trial) => {
        const [tenantId, id] = [randomUUID(), newId()]
        await atAnotherTime(offset, async () => {
          assert.equal(await trial.store.useOnce(tenantId, id, minute), true)
          assert.equal(await trial.store.useOnce(tenantId, id, minute), false)
        })
      })
    }
  })
}
