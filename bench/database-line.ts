import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Server } from 'node:net'
import { setTimeout } from 'node:timers/promises'

// Milliseconds: long enough for a client to have sent everything that it sends without waiting for a reply.
const delay = 5

/** A proxy to a database that can count round trips: how often a client sends after the database has replied to it. */
export class DatabaseLine {
  readonly port: number
  readonly #server: Server
  #counting = false
  #roundTrips = 0

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  static async to(port: number): Promise<DatabaseLine> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const line = new DatabaseLine(server)
    server.on('connection', (client) => {
      const database = createConnection(port, '127.0.0.1')
      let answered = true
      client.on('data', (requests) => {
        if (answered) line.#roundTrips++
        answered = false
        database.write(requests)
      })
      database.on('data', (replies) => {
        const pass = () => {
          answered = true
          client.write(replies)
        }
        if (line.#counting) void setTimeout(delay).then(pass)
        else pass()
      })
      client.on('end', () => database.end())
      database.on('end', () => client.end())
      client.on('error', () => database.destroy())
      database.on('error', () => client.destroy())
    })
    return line
  }

  /** Counts the round trips during `work`, and delays each reply meanwhile. */
  async roundTripsDuring(work: () => Promise<unknown>): Promise<number> {
    const before = this.#roundTrips
    this.#counting = true
    try {
      await work()
      // A reply that is still delayed must not be overtaken by a later one.
      await setTimeout(2 * delay)
    } finally {
      this.#counting = false
    }
    return this.#roundTrips - before
  }

  close(): void {
    this.#server.close()
  }
}
