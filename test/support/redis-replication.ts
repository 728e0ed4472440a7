import type { RedisServer } from './redis-server'

/** Whether a replica is connected and has everything that its master has written. */
export async function hasAll(replica: RedisServer, master: RedisServer): Promise<boolean> {
  const [own, others] = await Promise.all([replica, master].map((server) => server.command('INFO', 'replication')))
  const offset = /slave_repl_offset:(\d+)/.exec(String(own))?.[1]
  return (
    String(own).includes('master_link_status:up') &&
    String(others).includes('state=online') &&
    String(others).includes(`master_repl_offset:${offset}\r\n`)
  )
}

/** Whether a server is a master now. A failover breaks the connection of a command that asks meanwhile. */
export async function isMaster(server: RedisServer): Promise<boolean> {
  const [role] = (await server.command('ROLE').catch(() => [])) as unknown[]
  return role === 'master'
}
