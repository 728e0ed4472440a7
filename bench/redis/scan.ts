import { RedisTokenStore } from 'customer-sign-in/redis'
import { RedisServer } from '../redis-server'
import { Grants, likeness } from './grants'

const count = 100_000

/** Microseconds that going through a whole store takes, as `revokeAll` of a client does: for each grant of the tenant, for any other key. */
export interface ScanResult {
  perGrant: number
  perOtherKey: number
}

export async function measureScan(): Promise<ScanResult> {
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

// A client that nobody has connected: there is nothing to end, so that it takes two passes.
const passes = 2

async function scan(store: RedisTokenStore, tenantId: string): Promise<void> {
  for await (const _ of store.deleteGrants({ tenantId, clientId: 'of nobody' }));
}

/** Of one pass. */
async function microseconds(work: () => Promise<void>): Promise<number> {
  const from = performance.now()
  await work()
  return ((performance.now() - from) * 1000) / passes
}
