import type { RedisServer } from './redis-server'

/** All keys of the servers, with their values. */
export async function redisContents(servers: readonly RedisServer[]): Promise<unknown[]> {
  return Promise.all(servers.map((server) => server.command('EVAL', everything, 0)))
}

const everything = `
local all = {}
for _, key in ipairs(redis.call('KEYS', '*')) do
  local isString = redis.call('TYPE', key).ok == 'string'
  table.insert(all, { key, isString and redis.call('GET', key) or redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') })
end
return all
`
