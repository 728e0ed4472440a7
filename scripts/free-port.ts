import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port that is free, for a server that is started in another process, or again on the same port. It lies below those from which the
 * system takes the ports of outgoing connections (Linux: from 32,768), so that no connection takes it while the server is down.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_768)
  const server = createServer()
  const bound = once(server, 'listening').then(
    () => true,
    () => false,
  )
  server.listen(port, '127.0.0.1')
  if (!(await bound)) return freePort()
  await once(server.close(), 'close')
  return port
}
