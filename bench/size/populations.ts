import { RedisTokenStore } from 'customer-sign-in/redis'
import type { TokenStore } from 'customer-sign-in/store'
import { companiesOf, Grants } from '../grants'
import { PopulatedServer } from '../postgres/populated-server'
import { scaleSettings } from '../postgres/scale'
import { sizes } from '../postgres/size'
import { RedisServer } from '../redis-server'

/** A server of its own with a store and grants in it, a thousand for each company. */
export interface Population {
  store: TokenStore
  grants: Grants
  bytesPerGrant: number
  stop(): Promise<void>
}

export async function redisOf(count: number): Promise<Population> {
  const server = await RedisServer.start()
  const store = new RedisTokenStore(server.redis)
  const before = await server.usedMemory()
  const grants = new Grants(store, count, { tenants: companiesOf(count) })
  await grants.signIn()
  const bytesPerGrant = ((await server.usedMemory()) - before) / count
  return { store, grants, bytesPerGrant, stop: () => server.stop() }
}

export async function postgresOf(count: number): Promise<Population> {
  const populated = await PopulatedServer.filled(count, scaleSettings)
  const { table, indexes } = await sizes(populated.server, count)
  return {
    store: populated.store,
    grants: populated.grants,
    bytesPerGrant: table + indexes,
    stop: () => populated.stop(),
  }
}
