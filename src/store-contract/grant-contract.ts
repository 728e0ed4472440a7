import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import {
  atAnotherTime,
  customerOf,
  grantOf,
  hour,
  minute,
  newGrant,
  reversalOf,
  type StoreTest,
  swapOf,
  unicode,
  wrongClocks,
} from './records'

/** Tests how a store keeps, finds, lists and ends grants. */
export function grantContract({ describe, test }: StoreTest): void {
  describe('createGrant and findGrant', () => {
    test('return the grant as it was stored', async (trial) => {
      const claims = { nested: { list: [1, null, 'two', true], empty: {} } }
      const grant = newGrant({ endsAfter: hour, claims, consentTo: 'Aa0-_z19' })
      const stored = grantOf(await trial.createSoon(grant))
      const { lifetime: _, deadline: __, endsAfter: ___, ...given } = grant
      const { createdAt, expiresAt, endsAt, ...rest } = stored
      assert.deepEqual(rest, given)
      assert.deepEqual([expiresAt, endsAt], [createdAt + hour, createdAt + hour])
      assert.deepEqual(await trial.find(grant), stored)
    })

    test('leave out what a grant does not have', async (trial) => {
      const grant = await trial.create()
      assert.deepEqual(
        Object.keys(grant).filter((member) => ['endsAt', 'swap', 'claims', 'consentTo'].includes(member)),
        [],
      )
      assert.deepEqual(await trial.find(grant), grant)
    })

    test('keep any Unicode in every text', async (trial) => {
      const texts = { clientId: unicode, subject: unicode, resource: unicode }
      const grant = await trial.create({
        tenantId: unicode + randomUUID(),
        ...texts,
        claims: { [unicode]: unicode },
        request: { redirectUri: unicode, codeChallenge: unicode },
      })
      const { clientId, subject, resource } = grant
      assert.deepEqual({ clientId, subject, resource }, texts)
      assert.deepEqual(await trial.find(grant), grant)
      assert.deepEqual(await trial.list({ tenantId: grant.tenantId, subject: unicode }), [grant])
    })

    test('keep the scopes in their order, also if there is one or none', async (trial) => {
      for (const scopes of [['b', 'a', 'c:d'], ['profile'], []]) {
        const grant = await trial.create({ scopes })
        assert.deepEqual(grant.scopes, scopes)
        assert.deepEqual((await trial.find(grant))?.scopes, scopes)
      }
    })

    test('keep what a remembered consent is for, with claims or without, also when the grant is redeemed', async (trial) => {
      for (const claims of [undefined, {}, { plan: 'gold' }]) {
        const grant = await trial.create({ consentTo: 'Aa0-_z19', claims })
        const swap = swapOf(grant)
        const swapped = grantOf(await trial.store.swapCredential(swap))
        assert.deepEqual([swapped.consentTo, swapped.claims], ['Aa0-_z19', claims])
        assert.deepEqual(await trial.list(customerOf(grant)), [swapped])
      }
    })

    test('do not share objects with their caller', async (trial) => {
      const grant = newGrant({ scopes: ['profile'], claims: { plan: 'gold' } })
      await trial.createSoon(grant)
      Object.assign(grant.claims ?? {}, { plan: 'changed' })
      grant.scopes.push('added')
      const { scopes, claims } = (await trial.find(grant)) ?? {}
      assert.deepEqual({ scopes, claims }, { scopes: ['profile'], claims: { plan: 'gold' } })
    })

    test('say taken if the id is taken, with the grant that has it, and keep that grant', async (trial) => {
      const grant = newGrant({})
      const stored = grantOf(await trial.createSoon(grant))
      const again = await trial.createSoon({
        ...grant,
        scopes: ['another'],
        credential: { kind: 'code', hash: randomUUID() },
      })
      assert.equal(again.outcome, 'taken')
      assert.deepEqual(grantOf(again), stored)
      assert.deepEqual(await trial.find(grant), stored)
    })

    test('create a grant under the id of one that has expired', async (trial) => {
      const grant = newGrant({ lifetime: 50 })
      await trial.createSoon(grant)
      await trial.expiryOf(grant)
      const again = await trial.createSoon({ ...grant, scopes: ['another'], lifetime: hour })
      assert.equal(again.outcome, 'created')
      assert.deepEqual(grantOf(again).scopes, ['another'])
      assert.deepEqual(await trial.find(grant), grantOf(again))
    })

    test('find nothing under an id that does not exist', async (trial) => {
      assert.equal(await trial.store.findGrant(randomUUID(), randomUUID()), undefined)
    })

    test('find nothing once a grant has expired', async (trial) => {
      const grant = await trial.create({ lifetime: 50 })
      await trial.expiryOf(grant)
      assert.deepEqual(await trial.list(customerOf(grant)), [])
      assert.equal(await trial.store.deleteGrant(grant.tenantId, grant.grantId), false)
    })

    test('never let a grant live longer than it may', async (trial) => {
      const { createdAt, expiresAt } = await trial.create({ lifetime: 2 * hour, endsAfter: hour })
      assert.equal(expiresAt, createdAt + hour)
    })
  })

  describe('a grant without a credential', () => {
    test('is kept, found, listed and deleted, and never redeemed', async (trial) => {
      const grant = await trial.create({ credential: undefined, request: undefined })
      assert.deepEqual([grant.credential, grant.request], [undefined, undefined])
      for (const from of [randomUUID(), '']) {
        const swap = { ...swapOf(grant), from }
        const refused = await trial.store.swapCredential(swap)
        assert.equal(refused.outcome, 'mismatch')
        assert.deepEqual(grantOf(refused), grant)
        assert.equal((await trial.store.reverseSwap(reversalOf(swap))).outcome, 'mismatch')
      }
      assert.deepEqual(await trial.find(grant), grant)
      assert.deepEqual(await trial.list(customerOf(grant)), [grant])
      assert.equal(await trial.store.deleteGrant(grant.tenantId, grant.grantId), true)
    })
  })

  describe('the clock of the store', () => {
    test('decides when a grant was created, and when it expires', async (trial) => {
      const before = await trial.clock()
      const result = await trial.createSoon(newGrant({ lifetime: minute }))
      const { createdAt, expiresAt } = grantOf(result)
      assert.ok(createdAt >= before && createdAt <= result.now, `${createdAt} is not from ${before} to ${result.now}`)
      assert.equal(expiresAt, createdAt + minute)
    })

    test('is in every answer, and is never behind what the store has written', async (trial) => {
      const grant = newGrant({})
      const first = await trial.createSoon(grant)
      const swap = swapOf(grantOf(first))
      const reversal = reversalOf(swap)
      const tooLate = { deadline: first.now }
      const answers = [
        first,
        await trial.createSoon(grant),
        await trial.store.createGrant({ ...newGrant({}), ...tooLate }),
        await trial.store.swapCredential({ ...swap, resource: 'https://other.example' }),
        await trial.store.swapCredential({ ...swap, ...tooLate }),
        await trial.store.swapCredential(swap),
        await trial.store.swapCredential(swap),
        await trial.store.reverseSwap({ ...reversal, attempts: [] }),
        await trial.store.reverseSwap({ ...reversal, ...tooLate }),
        await trial.store.reverseSwap(reversal),
        await trial.store.swapCredential({ ...swap, grantId: 'unknown' }),
        await trial.store.reverseSwap({ ...reversal, grantId: 'unknown' }),
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

    test('refuses to create a grant after its deadline', async (trial) => {
      const grant = newGrant({})
      const now = await trial.clock()
      const late = await trial.store.createGrant({ ...grant, deadline: now })
      assert.equal(late.outcome, 'late')
      assert.ok(late.now >= now, `The clock has gone back from ${now} to ${late.now}`)
      assert.equal(await trial.find(grant), undefined)
      assert.deepEqual(await trial.list(customerOf(grant)), [])
    })

    for (const [host, offset] of wrongClocks) {
      test(`is not the clock of a host that is a day ${host}`, async (trial) => {
        await atAnotherTime(offset, async () => {
          const before = await trial.clock()
          const grant = await trial.create({ lifetime: minute })
          const swap = { ...swapOf(grant), lifetime: minute }
          const swapped = await trial.store.swapCredential(swap)
          assert.equal(swapped.outcome, 'swapped')
          const { createdAt, expiresAt, swap: { at } = { at: 0 } } = grantOf(swapped)
          for (const time of [createdAt, at, expiresAt - minute]) {
            assert.ok(time >= before && time <= swapped.now, `${time} is not from ${before} to ${swapped.now}`)
          }
          assert.ok(await trial.find(grant))
        })
      })
    }
  })

  describe('deleteGrant', () => {
    test('says whether there was such a grant', async (trial) => {
      const grant = await trial.create()
      assert.equal(await trial.store.deleteGrant(grant.tenantId, grant.grantId), true)
      assert.equal(await trial.store.deleteGrant(grant.tenantId, grant.grantId), false)
      assert.equal(await trial.find(grant), undefined)
    })
  })

  describe('tenants', () => {
    test('do not see the grants of each other, even if the ids are equal', async (trial) => {
      const grant = newGrant({})
      const mine = grantOf(await trial.createSoon(grant))
      const theirs = grantOf(await trial.createSoon({ ...grant, tenantId: randomUUID() }))
      await trial.store.swapCredential(swapOf(mine))
      assert.deepEqual(await trial.find(theirs), theirs)
      await trial.store.deleteGrant(mine.tenantId, mine.grantId)
      assert.deepEqual(await trial.find(theirs), theirs)
      assert.deepEqual(await trial.list(customerOf(mine)), [])
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
      test(`are told apart even if their id and another one, joined with ${between}, give the same text`, async (trial) => {
        const [a, b, subject, clientId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
        const [longTenant, prefix] = [`${a}${text}${b}`, `${b}${text}`]
        const grant = await trial.create({ tenantId: longTenant, grantId: 'c', subject, clientId })
        assert.equal(await trial.store.findGrant(a, `${prefix}c`), undefined)
        const other = { ...swapOf(grant), tenantId: a, grantId: `${prefix}c` }
        assert.equal((await trial.store.swapCredential(other)).outcome, 'missing')
        assert.equal(await trial.store.deleteGrant(a, `${prefix}c`), false)
        assert.deepEqual(await trial.list({ tenantId: a, subject: `${prefix}${subject}` }), [])
        assert.deepEqual(await trial.list({ tenantId: a, clientId: `${prefix}${clientId}` }), [])
        for (const owner of [{ subject: `${prefix}${subject}` }, { clientId: `${prefix}${clientId}` }])
          assert.deepEqual(await trial.end({ tenantId: a, ...owner }), [])
        assert.deepEqual(await trial.find(grant), grant)
      })

      test(`end no grant of another customer and client, which joined with ${between} give the same text`, async (trial) => {
        const [tenantId, a, b, c] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
        const grant = await trial.create({ tenantId, subject: a, clientId: `${b}${text}${c}` })
        const owner = { tenantId, subject: `${a}${text}${b}`, clientId: c }
        assert.deepEqual(await trial.end(owner), [])
        assert.deepEqual(await trial.find(grant), grant)
      })
    }
  })
}
