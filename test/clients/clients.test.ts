import { Clients } from '../../src/clients/clients'
import type { GuardedStore } from '../../src/stores/guarded-store'
import type { ClientUse, Grant, RegisteredClient } from '../../src/stores/token-store'
import type { ResolvedTenant } from '../../src/tenants/tenants'
import { day, hour } from '../../src/testing/store-contract/records'

const tenant = { id: 'acme', refreshTokenLifetime: (30 * day) / 1000 } as ResolvedTenant

/** What is written about a registered client that has redeemed a grant. */
async function written(registration: object, grant: object): Promise<[string, string, ClientUse][]> {
  const calls: [string, string, ClientUse][] = []
  const store = { touchClient: async (...call: [string, string, ClientUse]) => void calls.push(call) }
  const clients = new Clients(store as unknown as GuardedStore, undefined, {} as never)
  const client = { clientId: 'app', expiresAt: 100 * day, ...registration } as RegisteredClient
  await clients.touchUsed(client, { createdAt: 0, expiresAt: 30 * day, ...grant } as Grant, tenant)
  return calls
}

describe('a registered client that redeems a grant', () => {
  it('is marked as in use, and outlives the grant', async () => {
    const [[tenantId, clientId, use] = []] = await written({}, {})
    expect([tenantId, clientId, use?.inUse]).toEqual(['acme', 'app', true])
    expect(use?.lifetime).toBeGreaterThan(tenant.refreshTokenLifetime * 1000)
  })

  it.each([
    ['on the day of its last use', { lastUsedAt: 2 * day }, { swap: { at: 3 * day - 1 } }, 0],
    ['a day after its last use', { lastUsedAt: 2 * day }, { swap: { at: 3 * day } }, 1],
    ['on the day of its last use, for the first time', { lastUsedAt: 2 * day }, { createdAt: 3 * day - 1 }, 0],
    ['a day after its last use, for the first time', { lastUsedAt: 2 * day }, { createdAt: 3 * day }, 1],
  ])('is written about once a day: %s', async (_, registration, grant, times) => {
    expect(await written(registration, grant)).toHaveLength(times)
  })

  it.each([
    ['32 days after the grant', 62 * day, 0],
    ['an hour less than 32 days after the grant', 62 * day - hour, 1],
    ['before the grant', 29 * day, 1],
  ])('is written about on the same day if it would expire too early: %s', async (_, expiresAt, times) => {
    expect(await written({ lastUsedAt: day, expiresAt }, { swap: { at: day } })).toHaveLength(times)
  })
})
