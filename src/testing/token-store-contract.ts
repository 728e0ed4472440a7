import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CredentialSwap, Grant, RegisteredClient, SwapResult, TokenStore } from '../stores/token-store'

/** The test functions of jest, vitest, mocha or node:test. */
export interface TestRunner {
  describe(name: string, define: () => void): unknown
  it(name: string, test: () => Promise<void>): unknown
}

const minute = 60_000
const hour = 60 * minute
const unicode = 'a b\u0000"\\{}:\u00e9\u4e2d\ud83d\ude00\u202e\n'

/**
 * Says whether a {@link TokenStore} is right: every method, expiry, tenant isolation, parallel swaps with one winner, the repeated
 * attempt, and values with any Unicode.
 *
 * Every test works in tenants of its own, so the store may be shared and need not be emptied.
 *
 * @param runner The test functions to define the suite with.
 * @param createStore Gives the store to test; asked once for each test.
 *
 * @example
 * tokenStoreContract({ describe, it }, () => new PostgresTokenStore(pool))
 */
export function tokenStoreContract(
  { describe, it }: TestRunner,
  createStore: () => TokenStore | Promise<TokenStore>,
): void {
  const test = (name: string, run: (store: TokenStore) => Promise<void>) =>
    it(name, async () => run(await createStore()))

  describe('createGrant and findGrant', () => {
    test('give back the grant as it was stored', async (store) => {
      const grant = newGrant({
        endsAt: Date.now() + hour,
        claims: { nested: { list: [1, null, 'two', true], empty: {} } },
      })
      await store.createGrant(grant)
      assert.deepEqual(await found(store, grant), grant)
    })

    test('leave out what a grant does not have', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      assert.deepEqual(await found(store, grant), grant)
    })

    test('keep any Unicode in every text', async (store) => {
      const grant = newGrant({
        tenantId: unicode + randomUUID(),
        clientId: unicode,
        subject: unicode,
        scope: unicode,
        resource: unicode,
        claims: { [unicode]: unicode },
        request: { redirectUri: unicode, codeChallenge: unicode },
      })
      await store.createGrant(grant)
      assert.deepEqual(await found(store, grant), grant)
      assert.deepEqual(byId(await store.listGrants(grant.tenantId, unicode)), [grant])
    })

    test('do not share objects with their caller', async (store) => {
      const grant = newGrant({ claims: { plan: 'gold' } })
      await store.createGrant(grant)
      Object.assign(grant.claims ?? {}, { plan: 'changed' })
      assert.deepEqual((await found(store, grant))?.claims, { plan: 'gold' })
    })

    test('reject an id that is taken, and keep what is there', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      await assert.rejects(store.createGrant({ ...grant, subject: 'another' }))
      assert.equal((await found(store, grant))?.subject, grant.subject)
    })

    test('find nothing under an id that does not exist', async (store) => {
      assert.equal(await store.findGrant(randomUUID(), randomUUID()), undefined)
    })

    test('find nothing once a grant has expired', async (store) => {
      const grant = newGrant({ expiresAt: Date.now() + 50 })
      await store.createGrant(grant)
      await until(async () => (await found(store, grant)) === undefined)
      assert.deepEqual(await store.listGrants(grant.tenantId, grant.subject), [])
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), false)
    })
  })

  describe('swapCredential', () => {
    test('makes the next credential the live one', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const swap = swapOf(grant)
      const before = Date.now()
      const result = await store.swapCredential(swap)
      const { request: _, ...kept } = grant
      const at = grantOf(result).swap?.at ?? 0
      assert.deepEqual(definedMembers(result), {
        outcome: 'swapped',
        grant: definedMembers({
          ...kept,
          credential: { kind: 'refresh_token', hash: swap.to },
          swap: { attempt: swap.attempt, at },
          expiresAt: swap.expiresAt,
        }),
      })
      // The later of the caller's time and the store's own clock, which may differ a little.
      assert.ok(at >= swap.now && at <= Math.max(before, Date.now()) + minute, `swap.at is ${at}`)
      assert.deepEqual(await found(store, grant), definedMembers(grantOf(result)))
    })

    test('goes on from there', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      let live = grant
      for (let rotation = 0; rotation < 5; rotation++) live = grantOf(await store.swapCredential(swapOf(live)))
      assert.deepEqual(await found(store, grant), definedMembers(live))
    })

    test('takes the time of its caller where that is ahead of its own clock', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const now = Date.now() + 30 * minute
      const result = await store.swapCredential({ ...swapOf(grant), now, expiresAt: now + hour })
      assert.equal(grantOf(result).swap?.at, now)
    })

    test('takes its own time where that is ahead of its caller', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const late = { ...swapOf(grant), now: Date.now() - 2 * minute }
      const at = grantOf(await store.swapCredential(late)).swap?.at ?? 0
      assert.ok(at > Date.now() - minute, `swap.at is ${at}`)
    })

    test('says mismatch, with the grant, when another credential is live, and writes nothing', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const result = await store.swapCredential({ ...swapOf(grant), from: randomUUID() })
      assert.deepEqual(definedMembers(result), { outcome: 'mismatch', grant: definedMembers(grant) })
      assert.deepEqual(await found(store, grant), grant)
    })

    test('shows a repeated attempt its own work', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const swap = swapOf(grant)
      await store.swapCredential(swap)
      const again = await store.swapCredential(swap)
      assert.equal(again.outcome, 'mismatch')
      assert.equal(grantOf(again).credential.hash, swap.to)
      assert.equal(grantOf(again).swap?.attempt, swap.attempt)
    })

    test('has one winner among 200 parallel swaps, and touches no other grant', async (store) => {
      const grant = newGrant({})
      const other = newGrant({ tenantId: grant.tenantId, subject: grant.subject })
      await store.createGrant(grant)
      await store.createGrant(other)
      const swaps = Array.from({ length: 200 }, () => swapOf(grant))
      const results = await Promise.all(swaps.map((swap) => store.swapCredential(swap)))
      const won = swaps.filter((_, index) => results[index]?.outcome === 'swapped')
      assert.equal(won.length, 1)
      // Who loses is shown what is live now: a verdict of replay rests on it.
      for (const lost of results.filter(({ outcome }) => outcome !== 'swapped')) {
        assert.equal(lost.outcome, 'mismatch')
        assert.equal(grantOf(lost).credential.hash, won[0]?.to)
      }
      assert.equal((await found(store, grant))?.credential.hash, won[0]?.to)
      assert.deepEqual(await found(store, other), other)
    })

    test('lets only the resource of the grant pass where one is required, and writes nothing otherwise', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const refused = await store.swapCredential({ ...swapOf(grant), resource: 'https://other.example' })
      assert.deepEqual(definedMembers(refused), { outcome: 'refused', grant: definedMembers(grant) })
      assert.deepEqual(await found(store, grant), grant)
      const swapped = await store.swapCredential({ ...swapOf(grant), resource: grant.resource })
      assert.equal(swapped.outcome, 'swapped')
    })

    test('says mismatch, not refused, when both the credential and the resource differ', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const swap = { ...swapOf(grant), from: randomUUID(), resource: 'https://other.example' }
      assert.equal((await store.swapCredential(swap)).outcome, 'mismatch')
    })

    test('never moves the expiry past the end of the grant', async (store) => {
      const grant = newGrant({ endsAt: Date.now() + 10 * minute })
      await store.createGrant(grant)
      const swapped = await store.swapCredential(swapOf(grant))
      assert.equal(grantOf(swapped).expiresAt, grant.endsAt)
    })

    test('says missing for a grant that has expired by the time of the caller', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      const late = { ...swapOf(grant), now: grant.expiresAt, expiresAt: grant.expiresAt + hour }
      assert.deepEqual(await store.swapCredential(late), { outcome: 'missing' })
    })

    test('says missing for a grant that has expired by its own clock', async (store) => {
      const grant = newGrant({ expiresAt: Date.now() + 50 })
      await store.createGrant(grant)
      await until(async () => (await found(store, grant)) === undefined)
      assert.deepEqual(await store.swapCredential({ ...swapOf(grant), now: grant.createdAt }), { outcome: 'missing' })
    })

    test('says missing for a grant that does not exist, or has been deleted', async (store) => {
      const grant = newGrant({})
      assert.deepEqual(await store.swapCredential(swapOf(grant)), { outcome: 'missing' })
      await store.createGrant(grant)
      await store.deleteGrant(grant.tenantId, grant.grantId)
      assert.deepEqual(await store.swapCredential(swapOf(grant)), { outcome: 'missing' })
      assert.equal(await found(store, grant), undefined)
    })
  })

  describe('deleteGrant', () => {
    test('says whether there was such a grant', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), true)
      assert.equal(await store.deleteGrant(grant.tenantId, grant.grantId), false)
      assert.equal(await found(store, grant), undefined)
    })
  })

  describe('listGrants', () => {
    test('gives all grants of a customer, as they are now, and nobody else’s', async (store) => {
      const first = newGrant({})
      const second = newGrant({ tenantId: first.tenantId, subject: first.subject })
      const others = [newGrant({ tenantId: first.tenantId }), newGrant({ subject: first.subject })]
      for (const grant of [first, second, ...others]) await store.createGrant(grant)
      const swapped = grantOf(await store.swapCredential(swapOf(first)))
      const listed = await store.listGrants(first.tenantId, first.subject)
      assert.deepEqual(byId(listed), byId([swapped, second]))
    })

    test('leaves out what has been deleted', async (store) => {
      const grant = newGrant({})
      await store.createGrant(grant)
      await store.deleteGrant(grant.tenantId, grant.grantId)
      assert.deepEqual(await store.listGrants(grant.tenantId, grant.subject), [])
    })

    test('gives 300 grants of one customer', async (store) => {
      const { tenantId, subject } = newGrant({})
      const grants = Array.from({ length: 300 }, () => newGrant({ tenantId, subject }))
      await Promise.all(grants.map((grant) => store.createGrant(grant)))
      assert.deepEqual(byId(await store.listGrants(tenantId, subject)), byId(grants))
    })
  })

  describe('scanGrants', () => {
    test('gives all grants of a tenant, and of no other', async (store) => {
      const tenantId = `${randomUUID()}*`
      const grants = Array.from({ length: 30 }, () => newGrant({ tenantId }))
      const other = newGrant({ tenantId: `${tenantId}x` })
      await Promise.all([...grants, other].map((grant) => store.createGrant(grant)))
      const scanned = new Map<string, Grant>()
      for await (const grant of store.scanGrants(tenantId)) scanned.set(grant.grantId, grant)
      assert.deepEqual(byId([...scanned.values()]), byId(grants))
    })

    test('leaves out what has ended', async (store) => {
      const tenantId = randomUUID()
      const deleted = newGrant({ tenantId })
      const expired = newGrant({ tenantId, expiresAt: Date.now() + 50 })
      for (const grant of [deleted, expired]) await store.createGrant(grant)
      await store.deleteGrant(tenantId, deleted.grantId)
      await until(async () => (await found(store, expired)) === undefined)
      for await (const { grantId } of store.scanGrants(tenantId)) assert.fail(`${grantId} has ended`)
    })
  })

  describe('tenants', () => {
    test('see nothing of each other, even under equal ids', async (store) => {
      const mine = newGrant({})
      const theirs = { ...mine, tenantId: randomUUID() }
      await store.createGrant(mine)
      await store.createGrant(theirs)
      await store.swapCredential(swapOf(mine))
      assert.deepEqual(await found(store, theirs), theirs)
      await store.deleteGrant(mine.tenantId, mine.grantId)
      assert.deepEqual(await found(store, theirs), theirs)
      assert.deepEqual(await store.listGrants(mine.tenantId, mine.subject), [])
    })

    test('are told apart where their ids and the ids of grants run into each other', async (store) => {
      const [a, b] = [randomUUID(), randomUUID()]
      const grant = newGrant({ tenantId: `${a}:${b}`, grantId: 'c' })
      await store.createGrant(grant)
      assert.equal(await store.findGrant(a, `${b}:c`), undefined)
      assert.deepEqual(await store.listGrants(a, `${b}:${grant.subject}`), [])
    })
  })

  describe('registered clients', () => {
    test('are given back as they were saved, with any Unicode', async (store) => {
      const client = newClient({ clientName: unicode, grantTypes: ['authorization_code'], scope: 'profile' })
      await store.saveClient(client, 100)
      assert.deepEqual(definedMembers(await store.findClient(client.tenantId, client.clientId)), definedMembers(client))
      assert.equal(await store.findClient(randomUUID(), client.clientId), undefined)
      assert.equal(await store.findClient(client.tenantId, randomUUID()), undefined)
    })

    test('are replaced by a later save', async (store) => {
      const client = newClient({})
      await store.saveClient(client, 100)
      await store.saveClient({ ...client, clientName: 'Renamed' }, 100)
      assert.equal((await store.findClient(client.tenantId, client.clientId))?.clientName, 'Renamed')
    })

    test('expire', async (store) => {
      const client = newClient({ expiresAt: Date.now() + 50 })
      await store.saveClient(client, 100)
      await until(async () => (await store.findClient(client.tenantId, client.clientId)) === undefined)
    })

    test('make room for later ones of their tenant, the oldest first, save those in use', async (store) => {
      const tenantId = randomUUID()
      const oldest = newClient({ tenantId, createdAt: Date.now() - 3 * minute })
      const kept = newClient({ tenantId, createdAt: Date.now() - 2 * minute })
      const other = newClient({ createdAt: Date.now() - 4 * minute })
      const later = [1, 2].map(() => newClient({ tenantId }))
      await store.saveClient(other, 2)
      await store.saveClient(oldest, 2)
      await store.saveClient(kept, 2)
      await store.keepClient(tenantId, kept.clientId, kept.expiresAt)
      for (const client of later) await store.saveClient(client, 2)
      const found = async ({ tenantId: of, clientId }: RegisteredClient) =>
        (await store.findClient(of, clientId)) !== undefined
      assert.equal(await found(oldest), false)
      for (const client of [kept, other, ...later]) assert.equal(await found(client), true)
    })

    test('are kept until a later time, never until an earlier one', async (store) => {
      const client = newClient({})
      await store.saveClient(client, 100)
      const later = client.expiresAt + hour
      await store.keepClient(client.tenantId, client.clientId, later)
      await store.keepClient(client.tenantId, client.clientId, later - minute)
      assert.deepEqual(definedMembers(await store.findClient(client.tenantId, client.clientId)), {
        ...definedMembers(client),
        expiresAt: later,
        inUse: true,
      })
    })

    test('do not come into being by being kept', async (store) => {
      const client = newClient({})
      await store.keepClient(client.tenantId, client.clientId, client.expiresAt)
      assert.equal(await store.findClient(client.tenantId, client.clientId), undefined)
    })

    test('are untouched by those of another tenant, even under equal ids', async (store) => {
      const mine = newClient({})
      const theirs = { ...mine, tenantId: randomUUID() }
      const saved = ({ tenantId, clientId }: RegisteredClient) => store.findClient(tenantId, clientId)
      await store.saveClient(mine, 100)
      await store.saveClient(theirs, 100)
      assert.deepEqual(definedMembers(await saved(mine)), mine)
      await store.keepClient(mine.tenantId, mine.clientId, mine.expiresAt + hour)
      assert.deepEqual(definedMembers(await saved(theirs)), theirs)
      await store.deleteClient(mine.tenantId, mine.clientId)
      assert.deepEqual(definedMembers(await saved(theirs)), theirs)
    })

    test('are deleted once', async (store) => {
      const client = newClient({})
      await store.saveClient(client, 100)
      assert.equal(await store.deleteClient(client.tenantId, client.clientId), true)
      assert.equal(await store.deleteClient(client.tenantId, client.clientId), false)
      assert.equal(await store.findClient(client.tenantId, client.clientId), undefined)
    })
  })
}

function newGrant(members: Partial<Grant>): Grant {
  const now = Date.now()
  return {
    tenantId: randomUUID(),
    grantId: randomUUID(),
    clientId: 'https://client.example/metadata',
    subject: randomUUID(),
    scope: 'profile calendar',
    resource: 'https://api.example/mcp',
    createdAt: now,
    expiresAt: now + hour,
    credential: { kind: 'code', hash: randomUUID() },
    request: { redirectUri: 'https://client.example/callback?a=b', codeChallenge: randomUUID() },
    ...members,
  }
}

function newClient(members: Partial<RegisteredClient>): RegisteredClient {
  const now = Date.now()
  return {
    tenantId: randomUUID(),
    clientId: randomUUID(),
    redirectUris: ['https://client.example/callback', 'http://localhost/callback'],
    createdAt: now,
    expiresAt: now + hour,
    ...members,
  }
}

function swapOf({ tenantId, grantId, credential }: Grant): CredentialSwap {
  const now = Date.now()
  const [to, attempt] = [randomUUID(), randomUUID()]
  return { tenantId, grantId, from: credential.hash, to, attempt, now, expiresAt: now + 2 * hour }
}

async function found(store: TokenStore, { tenantId, grantId }: Grant): Promise<Grant | undefined> {
  return definedMembers(await store.findGrant(tenantId, grantId))
}

function grantOf(result: SwapResult): Grant {
  if (result.outcome === 'missing') assert.fail('The grant is missing')
  return result.grant
}

/** A store may leave an absent member out or hold it as undefined. */
function definedMembers<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value))
}

function byId(grants: readonly Grant[]): Grant[] {
  return definedMembers([...grants]).sort((a, b) => a.grantId.localeCompare(b.grantId))
}

/** Expiry is the one thing that only time shows. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, 'It has not happened within 10 seconds')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
