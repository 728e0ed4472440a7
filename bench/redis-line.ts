import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Server } from 'node:net'

/** A line to a Redis server that counts the round trips: how often a client sends after it has been answered. */
export class RedisLine {
  readonly port: number
  roundTrips = 0
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  static async to(port: number): Promise<RedisLine> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const line = new RedisLine(server)
    server.on('connection', (client) => {
      const redis = createConnection(port, '127.0.0.1')
      let answered = true
      client.on('data', () => {
        if (answered) line.roundTrips++
        answered = false
      })
      redis.on('data', () => {
        answered = true
      })
      client.pipe(redis).pipe(client)
      client.on('error', () => redis.destroy())
      redis.on('error', () => client.destroy())
    })
    return line
  }

  close(): void {
    this.#server.close()
  }
}
