import { Client, type ClientConfig } from 'pg'

/** A connection, when it is ready, and how many of its statements have no result yet. */
interface Line {
  client: Client
  ready: Promise<unknown>
  pending: number
}

/**
 * A pool whose connections do not wait for a result before they send the next statement (`pipeline` of `pg` 8.23). All statements of a turn
 * of the event loop leave in one write. Only for statements that are complete in themselves, such as those of `PostgresTokenStore`.
 *
 * @example
 * const pool = new PipelinedPool({ connectionString, connectionTimeoutMillis: 2000, query_timeout: 2500 })
 * const tokenStore = new PostgresTokenStore(pool)
 */
export class PipelinedPool {
  readonly #config: ClientConfig
  readonly #max: number
  readonly #lifetime: number
  readonly #lines = new Set<Line>()

  /**
   * @param options.max How many connections it has.
   * @param options.maxLifetimeSeconds When a connection is replaced by a new one.
   */
  constructor(config: ClientConfig, { max = 2, maxLifetimeSeconds = 300 } = {}) {
    this.#config = { ...config, pipeline: true }
    this.#max = max
    this.#lifetime = maxLifetimeSeconds * 1000
  }

  async query(text: string, values: unknown[]): Promise<{ rows: unknown[] }> {
    const line = this.#line()
    line.pending++
    try {
      await line.ready
      gatherWrites(line.client)
      return await line.client.query(text, values)
    } finally {
      line.pending--
    }
  }

  /** Closes the connections when their statements have their results. */
  async end(): Promise<void> {
    await Promise.allSettled([...this.#lines].map((line) => this.#close(line)))
  }

  /** The connection that waits for the fewest results: behind a statement that waits for a lock, few others wait. */
  #line(): Line {
    const lines = [...this.#lines].filter(({ client }) => !client.connection.stream.destroyed)
    const [best] = lines.sort((one, other) => one.pending - other.pending)
    return best && (best.pending === 0 || lines.length >= this.#max) ? best : this.#open()
  }

  #open(): Line {
    const client = new Client(this.#config)
    const line: Line = { client, ready: client.connect(), pending: 0 }
    this.#lines.add(line)
    const forget = () => this.#lines.delete(line)
    client.on('error', forget)
    client.on('end', forget)
    line.ready.catch(forget)
    setTimeout(() => this.#close(line).catch(() => {}), this.#lifetime).unref()
    return line
  }

  /** Sends nothing more over a connection, and closes it when its statements have their results. */
  async #close(line: Line): Promise<void> {
    if (this.#lines.delete(line)) await line.ready.then(() => line.client.end())
  }
}

function gatherWrites({ connection }: Client): void {
  const { stream } = connection
  if (stream.writableCorked > 0) return
  stream.cork()
  setImmediate(() => stream.uncork())
}
