import { Connection } from '../connection'
import { RedisServer } from '../redis-server'
import { ServerProcess } from '../server-process'
import { codeForm, redeem, refreshForm } from '../workloads'
import { startCluster } from './redis-cluster'

/** How many processes, and how many masters; one master is a Redis server without Cluster. */
export interface Shape {
  processes: number
  masters: number
}

/** Keep-alive connections to each process. */
export const connectionsOfProcess = 32

/** The CPU time that all processes, all masters and the load have used so far, in microseconds. */
export interface Used {
  processes: number
  masters: number
  load: number
}

/** Processes of this library on one Redis server or Cluster, and customers whose refresh tokens they redeem. */
export class Layout {
  readonly shape: Shape
  readonly #masters: readonly RedisServer[]
  readonly #processes: readonly ServerProcess[]
  readonly #connections: readonly { process: number; connection: Connection }[]
  /** The refresh tokens that no request is redeeming, in the order in which they were issued. */
  readonly #tokens: string[] = []

  private constructor(
    shape: Shape,
    masters: readonly RedisServer[],
    processes: readonly ServerProcess[],
    connections: readonly { process: number; connection: Connection }[],
  ) {
    this.shape = shape
    this.#masters = masters
    this.#processes = processes
    this.#connections = connections
  }

  /**
   * @param signingKey As PEM: all processes have the same.
   * @param customers How many customers have signed in.
   */
  static async start(shape: Shape, signingKey: string, customers: number): Promise<Layout> {
    const masters = shape.masters === 1 ? [await RedisServer.start()] : await startCluster(shape.masters)
    const processes: ServerProcess[] = []
    const connections: { process: number; connection: Connection }[] = []
    const layout = new Layout(shape, masters, processes, connections)
    try {
      const args = [masters.length === 1 ? 'Redis' : 'Redis Cluster', `${masters[0]?.port}`, signingKey]
      for (let process = 0; process < shape.processes; process++) {
        const server = await ServerProcess.fork(`process ${process + 1}`, 'one-of-many.js', args)
        processes.push(server)
        for (let each = 0; each < connectionsOfProcess; each++) {
          connections.push({ process, connection: await Connection.open(server.port) })
        }
      }
      await layout.#signIn(customers)
      return layout
    } catch (error) {
      await layout.stop()
      throw error
    }
  }

  /**
   * Redeems so many refresh tokens, each connection as fast as its process responds. Any process gets the token that has waited longest,
   * whichever issued it.
   *
   * @returns How many each process redeemed.
   */
  async refresh(count: number): Promise<number[]> {
    const redeemed = this.#processes.map(() => 0)
    await this.#onAllConnections(count, async (connection, process) => {
      this.#tokens.push(await this.#redeem(connection, process, refreshForm(this.#tokens.shift() ?? '')))
      redeemed[process] = (redeemed[process] ?? 0) + 1
    })
    return redeemed
  }

  async used(): Promise<Used> {
    const ofProcesses = await Promise.all(this.#processes.map((each) => each.usedCpu()))
    const ofMasters = await Promise.all(this.#masters.map((each) => each.usedCpu()))
    const { user, system } = process.cpuUsage()
    return { processes: sum(ofProcesses), masters: sum(ofMasters), load: user + system }
  }

  /** How many scripts have run on each master. A refresh runs one. */
  async scripts(): Promise<number[]> {
    return Promise.all(
      this.#masters.map(async (each) => {
        const { cmdstat_evalsha = '' } = await each.info('commandstats')
        return Number(/calls=(\d+)/.exec(cmdstat_evalsha)?.[1] ?? 0)
      }),
    )
  }

  async stop(): Promise<void> {
    for (const { connection } of this.#connections) connection.close()
    await Promise.all(this.#processes.map((each) => each.stop()))
    await Promise.all(this.#masters.map((each) => each.stop()))
  }

  async #signIn(customers: number): Promise<void> {
    const codes = (await this.#processes[0]?.issueCodes(customers)) ?? []
    await this.#onAllConnections(customers, async (connection, process) => {
      this.#tokens.push(await this.#redeem(connection, process, codeForm(codes.pop() ?? '')))
    })
  }

  async #onAllConnections(
    count: number,
    step: (connection: Connection, process: number) => Promise<void>,
  ): Promise<void> {
    let begun = 0
    await Promise.all(
      this.#connections.map(async ({ connection, process }) => {
        while (begun < count) {
          begun++
          await step(connection, process)
        }
      }),
    )
  }

  /** @returns The next refresh token. */
  async #redeem(connection: Connection, process: number, form: string): Promise<string> {
    const server = this.#processes[process]
    if (!server) throw new Error(`There is no process ${process}`)
    return (await redeem(connection, server, form)).refresh_token
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
