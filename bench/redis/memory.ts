import { RedisTokenStore } from 'customer-sign-in/redis'
import { Grants } from '../grants'
import { RedisServer } from '../redis-server'

/** How much is measured. */
export interface MemoryOptions {
  grants: number
  /** How often the credential of each grant is swapped. */
  rotations: number
}

/** How much memory of a Redis server active grants take. */
export interface MemoryResult extends MemoryOptions {
  /** Bytes for each grant, its index included: the difference in `used_memory`. */
  bytesPerGrant: number
  /** The same after `rotations` rotations of every grant. */
  bytesPerGrantAfterRotations: number
  /** The same if each customer has connected three clients. */
  bytesPerGrantOfThree: number
  /** Bytes that `MEMORY USAGE` counts for one grant's key and for its customer's index. */
  keys: { grant: number; index: number }
}

export async function measureMemory(options: MemoryOptions): Promise<MemoryResult> {
  const one = await measure(1, options)
  const three = await measure(3, { ...options, rotations: 0 })
  return { ...options, ...one, bytesPerGrantOfThree: three.bytesPerGrant }
}

async function measure(perCustomer: number, { grants: count, rotations }: MemoryOptions) {
  const server = await RedisServer.start()
  try {
    const store = new RedisTokenStore(server.redis)
    // The scripts, and the memory for the connection, are not part of a grant.
    await new Grants(store, 1).signIn()
    await server.redis.flushdb()

    const before = await server.usedMemory()
    const perGrant = async () => ((await server.usedMemory()) - before) / count
    const grants = new Grants(store, count, { perCustomer })
    await grants.signIn()
    const bytesPerGrant = await perGrant()
    const keys = { grant: await sizeOf(server, 'csi:g:*'), index: await sizeOf(server, 'csi:s:*') }
    for (let done = 0; done < rotations; done++) await grants.rotate()
    return { bytesPerGrant, bytesPerGrantAfterRotations: await perGrant(), keys }
  } finally {
    await server.stop()
  }
}

async function sizeOf({ redis }: RedisServer, pattern: string): Promise<number> {
  const [, [key = '']] = await redis.scan(0, 'MATCH', pattern, 'COUNT', 1000)
  return Number(await redis.memory('USAGE', key))
}
