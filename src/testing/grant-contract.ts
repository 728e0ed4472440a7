import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Grant, GrantOwner, TokenStore } from '../stores/token-store'
import {
  atAnotherTime,
  byId,
  clockOf,
  created,
  createSoon,
  definedMembers,
  found,
  grantOf,
  hour,
  minute,
  newGrant,
  reversalOf,
  swapOf,
  unicode,
  until,
} from './records'
import type { StoreTest } from './store-test'

/** Tests how a store keeps, finds, lists and ends grants. */
export function grantContract({ describe, test }: StoreTest): void {
  describe('createGrant and findGrant', () => {
    test('return the grant as it was stored', async (store) => {
      const grant = newGrant({ endsAfter: hour, claims: { nested: { list: [1, null, 'two', true], empty: {} } } })
      const stored = grantOf(await createSoon(store, grant))
      const { lifetime: _, deadline: __, endsAfter: ___, ...given } = grant
      const { createdAt, expiresAt, endsAt, ...rest } = stored
      assert.deepEqual(rest, given)
      assert.deepEqual([expiresAt, endsAt], [createdAt + hour, createdAt + hour])
      assert.deepEqual(await found(store, grant), stored)
    })

    test('leave out what a grant does not have', async (store) => {
      const grant = await created(store, {})
      assert.deepEqual(
        Object.keys(grant).filter((member) => ['endsAt', 'swap', 'claims'].includes(member)),
        [],
      )
      assert.deepEqual(await found(store, grant), grant)
    })

    test('keep any Unicode in every text', async (store) => {
      const texts = { clientId: unicode, subject: unicode, resource: unicode }
      const grant = await created(store, {
        tenantId: unicode + randomUUID(),
        ...texts,
        claims: { [unicode]: unicode },
        request: { redirectUri: unicode, codeChallenge: unicode },
      })
      const { clientId, subject, resource } = grant
      assert.deepEqual({ clientId, subject, resource }, texts)
      assert.deepEqual(await found(store, grant), grant)
      assert.deepEqual(byId(await store.listGrants(grant.tenantId, unicode)), [grant])
    })

    test('keep the scopes in their order, also if there is one or none', async (store) => {
      for (const scopes of [['b', 'a', 'c:d'], ['profile'], []]) {
        const grant = await created(store, { scopes })
        assert.deepEqual(grant.scopes, scopes)
        assert.deepEqual((await found(store, grant))?.scopes, scopes)
      }
    })

    test('do not share objects with their caller', async (store) => {
      const grant = newGrant({ scopes: ['profile'], claims: { plan: 'gold' } })
      await createSoon(store, grant)
      Object.assign(grant.claims ?? {}, { plan: 'changed' })
      grant.scopes.push('added')
      const { scopes, claims } = (await found(store, grant)) ?? {}
      assert.deepEqual({ scopes, claims }, { scopes: ['profile'], claims: { plan: 'gold' } })
    })

    test('say taken if the id is taken, with the grant that has it, and keep that grant', async (store) => {
      const grant = newGrant({})
      const stored = grantOf(await createSoon(store, grant))
      const again = await createSoon(store, {
        ...grant,
        scopes: ['another'],
        credential: { kind: 'code', hash: randomUUID() },
      })
      assert.equal(again.outcome, 'taken')
      assert.deepEqual(grantOf(again), stored)
      assert.deepEqual(await found(store, grant), stored)
    })

    test('create a grant under the id of one that has expired', async (store) => {
      const grant = newGrant({ lifetime: 50 })
      await createSoon(store, grant)
      await until(async () => (await found(store, grant)) === undefined)
      const again = await createSoon(store, { ...grant, scopes: ['another'], lifetime: hour })
      assert.equal(again.outcome, 'created')
      assert.deepEqual(grantOf(again).scopes, ['another'])
      assert.deepEqual(await found(store, grant), grantOf(again))
    })

    test('find nothing under an id that does not exist', async (store) => {
      assert.equal(await store.findGrant(randomUUID(), randomUUID()), undefined)
    })

    test('find nothing once a grant has expired', async (store) => {
      const grant = await created(store, { lifetime: 50 })
      await until(async () => (await found(store, grant)) === undefined)
      assert.deepEqual(await store.listGrants(grant.tenantId, grant.subject), [])
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), false)
    })

    test('never let a grant live longer than it may', async (store) => {
      const { createdAt, expiresAt } = await created(store, { lifetime: 2 * hour, endsAfter: hour })
      assert.equal(expiresAt, createdAt + hour)
    })
  })

  describe('the clock of the store', () => {
    test('decides when a grant was created, and when it expires', async (store) => {
      const before = await clockOf(store)
      const result = await createSoon(store, newGrant({ lifetime: minute }))
      const { createdAt, expiresAt } = grantOf(result)
      assert.ok(createdAt >= before && createdAt <= result.now, `${createdAt} is not from ${before} to ${result.now}`)
      assert.equal(expiresAt, createdAt + minute)
    })

    test('is in every answer, and is never behind what the store has written', async (store) => {
      const grant = newGrant({})
      const first = await createSoon(store, grant)
      const swap = swapOf(grantOf(first))
      const reversal = reversalOf(swap)
      const tooLate = { deadline: first.now }
      const answers = [
        first,
        await createSoon(store, grant),
        await store.createGrant({ ...newGrant({}), ...tooLate }),
        await store.swapCredential({ ...swap, resource: 'https://other.example' }),
        await store.swapCredential({ ...swap, ...tooLate }),
        await store.swapCredential(swap),
        await store.swapCredential(swap),
        await store.reverseSwap({ ...reversal, attempts: [] }),
        await store.reverseSwap({ ...reversal, ...tooLate }),
        await store.reverseSwap(reversal),
        await store.swapCredential({ ...swap, grantId: 'unknown' }),
        await store.reverseSwap({ ...reversal, grantId: 'unknown' }),
      ]
      assert.deepEqual(
        answers.map(({ outcome }) => outcome),
        [
          ...['created', 'taken', 'late'],
          ...['wrong_resource', 'late', 'swapped', 'mismatch'],
          ...['mismatch', 'late', 'reversed'],
          ...['missing', 'missing'],
        ],
      )
      let before = Number.NEGATIVE_INFINITY
      for (const answer of answers) {
        const written = 'grant' in answer ? (answer.grant.swap?.at ?? answer.grant.createdAt) : before
        assert.equal(typeof answer.now, 'number', `${answer.outcome} does not tell the time`)
        assert.ok(answer.now >= Math.max(before, written), `${answer.outcome} tells ${answer.now} after ${before}`)
        before = answer.now
      }
    })

    test('refuses to create a grant after its deadline', async (store) => {
      const grant = newGrant({})
      const now = await clockOf(store)
      const late = await store.createGrant({ ...grant, deadline: now })
      assert.equal(late.outcome, 'late')
      assert.ok(late.now >= now, `The clock has gone back from ${now} to ${late.now}`)
      assert.equal(await found(store, grant), undefined)
      assert.deepEqual(await store.listGrants(grant.tenantId, grant.subject), [])
    })

    for (const [host, offset] of [
      ['ahead', 24 * hour],
      ['behind', -24 * hour],
    ] as const) {
      test(`is not the clock of a host that is a day ${host}`, async (store) => {
        await atAnotherTime(offset, async () => {
          const before = await clockOf(store)
          const grant = await created(store, { lifetime: minute })
          const swap = { ...swapOf(grant), lifetime: minute }
          const swapped = await store.swapCredential(swap)
          assert.equal(swapped.outcome, 'swapped')
          const { createdAt, expiresAt, swap: { at } = { at: 0 } } = grantOf(swapped)
          for (const time of [createdAt, at, expiresAt - minute]) {
            assert.ok(time >= before && time <= swapped.now, `${time} is not from ${before} to ${swapped.now}`)
          }
          assert.ok(await found(store, grant))
        })
      })
    }
  })

  describe('deleteGrant', () => {
    test('says whether there was such a grant', async (store) => {
      const grant = await created(store, {})
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), true)
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), false)
      assert.equal(await found(store, grant), undefined)
    })
  })

  describe('listGrants', () => {
    test('returns all grants of a customer as they are now, and no grants of other customers', async (store) => {
      const first = await created(store, {})
      const second = await created(store, { tenantId: first.tenantId, subject: first.subject })
      await created(store, { tenantId: first.tenantId })
      await created(store, { subject: first.subject })
      const swapped = grantOf(await store.swapCredential(swapOf(first)))
      assert.deepEqual(byId(await store.listGrants(first.tenantId, first.subject)), byId([swapped, second]))
    })

    test('leaves out what has been deleted', async (store) => {
      const grant = await created(store, {})
      await store.deleteGrant(grant.tenantId, grant.grantId)
      assert.deepEqual(await store.listGrants(grant.tenantId, grant.subject), [])
    })

    test('returns 300 grants of one customer', async (store) => {
      const { tenantId, subject } = newGrant({})
      const grants = await Promise.all(Array.from({ length: 300 }, () => created(store, { tenantId, subject })))
      assert.deepEqual(byId(await store.listGrants(tenantId, subject)), byId(grants))
    })
  })

  describe('deleteGrants', () => {
    const client = 'https://other-client.example/metadata'

    /** Two customers of a tenant, with a grant of each of two clients, and the same at another tenant. */
    async function several(store: TokenStore): Promise<{ tenantId: string; all: Grant[] }> {
      const [tenantId, ada, bob] = [`${randomUUID()}*`, randomUUID(), randomUUID()]
      const all: Grant[] = []
      for (const tenant of [tenantId, `${tenantId}x`]) {
        for (const subject of [ada, bob]) {
          all.push(await created(store, { tenantId: tenant, subject }))
          all.push(await created(store, { tenantId: tenant, subject, clientId: client }))
        }
      }
      return { tenantId, all }
    }

    async function ends(store: TokenStore, owner: GrantOwner, all: readonly Grant[]): Promise<void> {
      const isMeant = (grant: Grant) =>
        grant.tenantId === owner.tenantId &&
        grant.subject === (owner.subject ?? grant.subject) &&
        grant.clientId === (owner.clientId ?? grant.clientId)
      assert.deepEqual(byId(await ended(store, owner)), byId(all.filter(isMeant)))
      for (const grant of all) assert.deepEqual(await found(store, grant), isMeant(grant) ? undefined : grant)
    }

    test('ends the grants of a customer, and returns them', async (store) => {
      const { tenantId, all } = await several(store)
      await ends(store, { tenantId, subject: all[0]?.subject ?? '' }, all)
    })

    test('ends the grants of a client, and returns them', async (store) => {
      const { tenantId, all } = await several(store)
      await ends(store, { tenantId, clientId: client }, all)
    })

    test('ends the grants of one customer and one client, and returns them', async (store) => {
      const { tenantId, all } = await several(store)
      await ends(store, { tenantId, subject: all[0]?.subject ?? '', clientId: client }, all)
    })

    test('ends 300 grants of a client', async (store) => {
      const tenantId = randomUUID()
      const grants = await Promise.all(Array.from({ length: 300 }, () => created(store, { tenantId })))
      assert.deepEqual(byId(await ended(store, { tenantId, clientId: grants[0]?.clientId ?? '' })), byId(grants))
    })

    test('returns no grant that had ended before', async (store) => {
      const tenantId = randomUUID()
      const deleted = await created(store, { tenantId })
      const expired = await created(store, { tenantId, lifetime: 50 })
      await store.deleteGrant(tenantId, deleted.grantId)
      await until(async () => (await found(store, expired)) === undefined)
      assert.deepEqual(await ended(store, { tenantId, clientId: deleted.clientId }), [])
    })
  })

  describe('tenants', () => {
    test('do not see the grants of each other, even if the ids are equal', async (store) => {
      const grant = newGrant({})
      const mine = grantOf(await createSoon(store, grant))
      const theirs = grantOf(await createSoon(store, { ...grant, tenantId: randomUUID() }))
      await store.swapCredential(swapOf(mine))
      assert.deepEqual(await found(store, theirs), theirs)
      await store.deleteGrant(mine.tenantId, mine.grantId)
      assert.deepEqual(await found(store, theirs), theirs)
      assert.deepEqual(await store.listGrants(mine.tenantId, mine.subject), [])
    })

    test('are told apart even if a tenant id and a grant id, joined, give the same text', async (store) => {
      const [a, b] = [randomUUID(), randomUUID()]
      const grant = await created(store, { tenantId: `${a}:${b}`, grantId: 'c' })
      assert.equal(await store.findGrant(a, `${b}:c`), undefined)
      assert.deepEqual(await store.listGrants(a, `${b}:${grant.subject}`), [])
    })
  })
}

async function ended(store: TokenStore, owner: GrantOwner): Promise<Grant[]> {
  const grants: Grant[] = []
  for await (const grant of store.deleteGrants(owner)) grants.push(definedMembers(grant))
  return grants
}
