import { RedisTokenStore } from 'customer-sign-in/redis'
import { Grants, likeness } from '../grants'
import { RedisServer } from '../redis-server'

/** How many microseconds it takes to go through a whole store, as `revokeAll` of a client does: for each grant of the tenant, and for any other key. */
export interface ScanResult {
  perGrant: number
  perOtherKey: number
}

/** Goes through a store with so many grants. */
export async function measureScan(count: number): Promise<ScanResult> {
  const server = await RedisServer.start()
  try {
    const store = new RedisTokenStore(server.redis)
    await new Grants(store, count).signIn()
    const others = await microseconds(() => scan(store, 'another-tenant'))
    const all = await microseconds(() => scan(store, likeness.tenantId))
    return { perGrant: (all - others) / count, perOtherKey: others / (await server.redis.dbsize()) }
  } finally {
    await server.stop()
  }
}

// Nobody has connected this client. So there is nothing to end, and the call takes two passes.
const passes = 2

async function scan(store: RedisTokenStore, tenantId: string): Promise<void> {
  for await (const _ of store.deleteGrants({ tenantId, clientId: 'of nobody' }));
}

/** The time of one pass. */
async function microseconds(work: () => Promise<void>): Promise<number> {
  const from = performance.now()
  await work()
  return ((performance.now() - from) * 1000) / passes
}
