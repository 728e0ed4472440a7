import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  assertRefused,
  atAnotherTime,
  clockOf,
  createExpired,
  createGrant,
  createSoon,
  customerOf,
  day,
  deleteGrants,
  findGrant,
  grantOf,
  hour,
  listGrants,
  minute,
  newGrant,
  redeem,
  redeemedAt,
  reversalOf,
  type StoreTest,
  swapOf,
  unicode,
} from './records'

/** Tests how a store keeps, finds, lists and ends grants. */
export function grantContract({ describe, test }: StoreTest): void {
  describe('createGrant, findGrant and deleteGrant', () => {
    test('return the grant as it was stored', async (store) => {
      const claims = { nested: { list: [1, null, 'two', true], empty: {} } }
      const grant = newGrant({ endsAfter: hour, claims, consentTo: 'Aa0-_z19' })
      const stored = grantOf(await createSoon(store, grant))
      const { lifetime: _, deadline: __, endsAfter: ___, ...given } = grant
      const { createdAt, expiresAt, endsAt, ...rest } = stored
      assert.deepEqual(rest, given)
      assert.deepEqual([expiresAt, endsAt], [createdAt + hour, createdAt + hour])
      assert.deepEqual(await findGrant(store, grant), stored)
    })

    test('leave out what a grant does not have', async (store) => {
      const grant = await createGrant(store, {})
      for (const member of ['endsAt', 'swap', 'claims', 'consentTo']) assert.ok(!(member in grant), member)
      assert.deepEqual(await findGrant(store, grant), grant)
    })

    test('keep any Unicode in every text', async (store) => {
      const texts = { clientId: unicode, subject: unicode, resource: unicode, claims: { [unicode]: unicode } }
      const request = { redirectUri: unicode, codeChallenge: unicode }
      const grant = await createGrant(store, { ...texts, request, tenantId: unicode + randomUUID() })
      assert.deepEqual(grant, { ...grant, ...texts, request })
      assert.deepEqual(await findGrant(store, grant), grant)
      assert.deepEqual(await listGrants(store, customerOf(grant)), [grant])
    })

    test('keep the scopes in their order, also if there is one or none', async (store) => {
      for (const scopes of [['b', 'a', 'c:d'], ['profile'], []]) {
        const grant = await createGrant(store, { scopes })
        assert.deepEqual(grant.scopes, scopes)
        assert.deepEqual(await findGrant(store, grant), grant)
      }
    })

    test('keep what a remembered consent is for, with claims or without, also when the grant is redeemed', async (store) => {
      for (const claims of [undefined, {}, { plan: 'gold' }]) {
        const grant = await createGrant(store, { consentTo: 'Aa0-_z19', claims })
        const swapped = await redeem(store, swapOf(grant))
        assert.deepEqual([swapped.consentTo, swapped.claims], ['Aa0-_z19', claims])
        assert.deepEqual(await listGrants(store, customerOf(grant)), [swapped])
      }
    })

    test('do not share objects with their caller', async (store) => {
      const grant = newGrant({ scopes: ['profile'], claims: { plan: 'gold' } })
      await createSoon(store, grant)
      Object.assign(grant.claims ?? {}, { plan: null })
      grant.scopes.length = 0
      const { scopes, claims } = (await findGrant(store, grant)) ?? {}
      assert.deepEqual({ scopes, claims }, { scopes: ['profile'], claims: { plan: 'gold' } })
    })

    test('say taken if the id is taken, with the grant that has it, and keep that grant', async (store) => {
      const grant = newGrant({})
      const stored = grantOf(await createSoon(store, grant))
      const again = await createSoon(store, { ...grant, scopes: ['another'], credential: newGrant({}).credential })
      assert.equal(again.outcome, 'taken')
      assert.deepEqual(grantOf(again), stored)
      assert.deepEqual(await findGrant(store, grant), stored)
    })

    test('create a grant under the id of one that has expired', async (store) => {
      const grant = newGrant({})
      await createExpired(store, grant)
      const again = await createSoon(store, { ...grant, scopes: ['another'] })
      assert.equal(again.outcome, 'created')
      assert.deepEqual(grantOf(again).scopes, ['another'])
      assert.deepEqual(await findGrant(store, grant), grantOf(again))
    })

    test('find nothing under an id that does not exist', async (store) => {
      assert.equal(await store.findGrant(randomUUID(), randomUUID()), undefined)
    })

    test('find nothing once a grant has expired', async (store) => {
      const grant = await createExpired(store, {})
      assert.deepEqual(await listGrants(store, customerOf(grant)), [])
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), false)
    })

    test('never let a grant live longer than it may', async (store) => {
      const { createdAt, expiresAt } = await createGrant(store, { lifetime: 2 * hour, endsAfter: hour })
      assert.equal(expiresAt, createdAt + hour)
    })

    test('say whether there was a grant to delete', async (store) => {
      const grant = await createGrant(store, {})
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), true)
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), false)
      assert.equal(await findGrant(store, grant), undefined)
    })
  })

  describe('a grant without a credential', () => {
    test('is kept, found, listed and deleted, and never redeemed', async (store) => {
      const grant = await createGrant(store, { credential: undefined, request: undefined })
      assert.deepEqual([grant.credential, grant.request], [undefined, undefined])
      for (const from of [randomUUID(), '']) {
        const swap = { ...swapOf(grant), from }
        await assertRefused(store, grant, swap, 'mismatch')
        assert.equal((await store.reverseSwap(reversalOf(swap))).outcome, 'mismatch')
      }
      assert.deepEqual(await findGrant(store, grant), grant)
      assert.deepEqual(await listGrants(store, customerOf(grant)), [grant])
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), true)
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
        await store.swapCredential({ ...swap, resource: unicode }),
        await store.swapCredential({ ...swap, ...tooLate }),
        await store.swapCredential(swap),
        await store.swapCredential(swap),
        await store.reverseSwap({ ...reversal, attempts: [] }),
        await store.reverseSwap({ ...reversal, ...tooLate }),
        await store.reverseSwap(reversal),
        await store.swapCredential({ ...swap, grantId: randomUUID() }),
        await store.reverseSwap({ ...reversal, grantId: randomUUID() }),
      ]
      const outcomes = 'created taken late wrong_resource late swapped mismatch mismatch late reversed missing missing'
      assert.equal(answers.map(({ outcome }) => outcome).join(' '), outcomes)
      let before = Number.NEGATIVE_INFINITY
      for (const answer of answers) {
        const written = 'grant' in answer ? Math.max(answer.grant.createdAt, redeemedAt(answer.grant)) : before
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
      assert.equal(await findGrant(store, grant), undefined)
      assert.deepEqual(await listGrants(store, customerOf(grant)), [])
    })

    for (const [host, offset] of Object.entries({ ahead: day, behind: -day })) {
      test(`is not the clock of a host that is a day ${host}`, async (store) => {
        await atAnotherTime(offset, async () => {
          const before = await clockOf(store)
          const grant = await createGrant(store, {})
          const swap = { ...swapOf(grant), lifetime: minute }
          const swapped = await store.swapCredential(swap)
          assert.equal(swapped.outcome, 'swapped')
          const { createdAt, expiresAt } = grantOf(swapped)
          for (const time of [createdAt, redeemedAt(grantOf(swapped)), expiresAt - minute]) {
            assert.ok(time >= before && time <= swapped.now, `${time} is not from ${before} to ${swapped.now}`)
          }
          assert.ok(await findGrant(store, grant))
        })
      })
    }
  })

  describe('tenants', () => {
    test('do not see the grants of each other, even if the ids are equal', async (store) => {
      const grant = newGrant({})
      const mine = grantOf(await createSoon(store, grant))
      const theirs = grantOf(await createSoon(store, { ...grant, tenantId: randomUUID() }))
      await store.swapCredential(swapOf(mine))
      assert.deepEqual(await findGrant(store, theirs), theirs)
      await store.deleteGrant(mine.tenantId, mine.grantId)
      assert.deepEqual(await findGrant(store, theirs), theirs)
      assert.deepEqual(await listGrants(store, customerOf(mine)), [])
    })

    for (const [between, text] of [
      ['nothing', ''],
      ['a hyphen', '-'],
      ['a colon', ':'],
      ['a slash', '/'],
      ['a bar', '|'],
      ['a space', ' '],
      ['U+0000', '\0'],
    ] as const) {
      test(`are told apart even if their id and another one, joined with ${between}, give the same text`, async (store) => {
        const [a, b, subject, clientId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
        const [longTenant, prefix] = [`${a}${text}${b}`, `${b}${text}`]
        const grant = await createGrant(store, { tenantId: longTenant, grantId: 'c', subject, clientId })
        const other = { tenantId: a, grantId: `${prefix}c` }
        assert.equal(await findGrant(store, other), undefined)
        assert.equal((await store.swapCredential({ ...swapOf(grant), ...other })).outcome, 'missing')
        assert.equal(await store.deleteGrant(a, other.grantId), false)
        for (const owner of [{ subject: `${prefix}${subject}` }, { clientId: `${prefix}${clientId}` }]) {
          assert.deepEqual(await listGrants(store, { tenantId: a, ...owner }), [])
          assert.deepEqual(await deleteGrants(store, { tenantId: a, ...owner }), [])
        }
        assert.deepEqual(await findGrant(store, grant), grant)
      })

      test(`end no grant of another customer and client, which joined with ${between} give the same text`, async (store) => {
        const [tenantId, a, b, c] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
        const grant = await createGrant(store, { tenantId, subject: a, clientId: `${b}${text}${c}` })
        const owner = { tenantId, subject: `${a}${text}${b}`, clientId: c }
        assert.deepEqual(await deleteGrants(store, owner), [])
        assert.deepEqual(await findGrant(store, grant), grant)
      })
    }
  })
}
