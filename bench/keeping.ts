import { Connection } from './connection'
import type { ServerName } from './lineup'
import { RedisLine } from './redis-line'
import { RedisServer } from './redis-server'
import { ServerProcess } from './server-process'
import { setup } from './servers/contender'
import { codeForm, redeem, refreshForm } from './workloads'

/** What a server stores, in how many round trips, and how it treats replays: what its speed leaves out. */
export interface Keeping {
  server: ServerName
  /** How often one refresh sends each Redis command, not counting the commands inside a script. */
  commands: Record<string, number>
  round_trips: number
  /** The same with `resource`; absent if the server does not support it. */
  round_trips_with_resource?: number
  /** Redis's memory for each grant after so many rotations. */
  bytes_after_0: number
  bytes_after_1: number
  bytes_after_20: number
  /** How many of 50 parallel presentations of one refresh token were given tokens. */
  refresh_winners: number
  /** The same for a code. */
  code_winners: number
  /** Whether replaying a used refresh token makes the newest one invalid. */
  replay_ends_grant: boolean
  /** The same for a code. */
  code_replay_ends_grant: boolean
}

const parallel = 50
const repetitions = 50

/** Measures what a server stores, with a Redis server of its own. @param grants For how many grants the memory is measured. */
export async function keepingOf(
  name: ServerName,
  { resource, grants }: { resource: boolean; grants: number },
): Promise<Keeping> {
  const ends: (() => unknown)[] = []
  try {
    const redis = await RedisServer.start()
    ends.push(() => redis.stop())
    const line = await RedisLine.to(redis.port)
    ends.push(() => line.close())
    const server = await ServerProcess.start(name, line.port)
    ends.push(() => server.stop())
    const connections = await Promise.all(Array.from({ length: parallel }, () => Connection.open(server.port)))
    for (const connection of connections) ends.push(() => connection.close())
    const customers = new Customers(server, connections)
    return {
      server: name,
      commands: await customers.commandsOfRefresh(redis),
      round_trips: await customers.roundTripsOfRefresh(line),
      ...(resource && {
        round_trips_with_resource: await customers.roundTripsOfRefresh(line, { resource: setup.resource }),
      }),
      ...(await customers.bytes(redis, grants)),
      refresh_winners: await customers.refreshWinners(),
      code_winners: await customers.codeWinners(),
      replay_ends_grant: await customers.replayEndsGrant(),
      code_replay_ends_grant: await customers.codeReplayEndsGrant(),
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

/** Customers of a server. */
class Customers {
  readonly #server: ServerProcess
  readonly #connections: readonly Connection[]
  readonly #first: Connection

  constructor(server: ServerProcess, connections: readonly Connection[]) {
    const [first] = connections
    if (!first) throw new Error('There is no connection')
    this.#server = server
    this.#connections = connections
    this.#first = first
  }

  async commandsOfRefresh(redis: RedisServer): Promise<Record<string, number>> {
    const refresh = await this.#chain()
    const counts: Record<string, number> = {}
    const monitor = await redis.redis.monitor()
    monitor.on('monitor', (_time, [command = '']: string[], source: string) => {
      if (source !== 'lua') counts[command.toLowerCase()] = (counts[command.toLowerCase()] ?? 0) + 1
    })
    try {
      for (let time = 0; time < repetitions; time++) await refresh()
      const seen = new Promise((resolve) =>
        monitor.on('monitor', (_time, [, text]: string[]) => text === 'end' && resolve(text)),
      )
      await redis.redis.echo('end')
      await seen
    } finally {
      monitor.disconnect()
    }
    const { echo: _, info: __, ...sent } = counts
    return Object.fromEntries(Object.entries(sent).map(([command, count]) => [command, count / repetitions]))
  }

  async roundTripsOfRefresh(line: RedisLine, more?: Record<string, string>): Promise<number> {
    const refresh = await this.#chain(more)
    const roundTrips = await line.roundTripsDuring(async () => {
      for (let time = 0; time < repetitions; time++) await refresh()
    })
    return roundTrips / repetitions
  }

  async bytes(
    redis: RedisServer,
    grants: number,
  ): Promise<Pick<Keeping, 'bytes_after_0' | 'bytes_after_1' | 'bytes_after_20'>> {
    const before = await redis.usedMemory()
    const perGrant = async () => Math.round(((await redis.usedMemory()) - before) / grants)
    const codes = await this.#server.issueCodes(grants)
    let forms = await this.#all(codes.map(codeForm))
    const bytes_after_0 = await perGrant()
    forms = await this.#all(forms)
    const bytes_after_1 = await perGrant()
    for (let rotation = 2; rotation <= 20; rotation++) forms = await this.#all(forms)
    return { bytes_after_0, bytes_after_1, bytes_after_20: await perGrant() }
  }

  async refreshWinners(): Promise<number> {
    return this.#winners(refreshForm(await this.#signIn()))
  }

  async codeWinners(): Promise<number> {
    return this.#winners(codeForm(await this.#code()))
  }

  async replayEndsGrant(): Promise<boolean> {
    const used = await this.#signIn()
    const next = await this.#refreshed(used)
    const newest = await this.#refreshed(next)
    await this.#post(refreshForm(used))
    return !(await this.#post(refreshForm(newest)))
  }

  async codeReplayEndsGrant(): Promise<boolean> {
    const code = await this.#code()
    const { refresh_token } = await redeem(this.#first, this.#server, codeForm(code))
    const newest = await this.#refreshed(refresh_token)
    await this.#post(codeForm(code))
    return !(await this.#post(refreshForm(newest)))
  }

  async #code(): Promise<string> {
    const [code = ''] = await this.#server.issueCodes(1)
    return code
  }

  async #signIn(): Promise<string> {
    return (await redeem(this.#first, this.#server, codeForm(await this.#code()))).refresh_token
  }

  async #refreshed(refreshToken: string): Promise<string> {
    return (await redeem(this.#first, this.#server, refreshForm(refreshToken))).refresh_token
  }

  async #chain(more?: Record<string, string>): Promise<() => Promise<void>> {
    let token = await this.#signIn()
    return async () => {
      token = (await redeem(this.#first, this.#server, refreshForm(token, more))).refresh_token
    }
  }

  /** Sends each form, which redeems a code or a refresh token. @returns The forms that redeem the new refresh tokens. */
  async #all(forms: readonly string[]): Promise<string[]> {
    const next: string[] = []
    let taken = 0
    await Promise.all(
      this.#connections.map(async (connection) => {
        while (taken < forms.length) {
          const index = taken++
          next[index] = refreshForm((await redeem(connection, this.#server, forms[index] ?? '')).refresh_token)
        }
      }),
    )
    return next
  }

  async #winners(form: string): Promise<number> {
    const { token } = this.#server.paths
    const answers = await Promise.all(this.#connections.map((connection) => connection.post(token, form)))
    return answers.filter(({ status }) => status === 200).length
  }

  async #post(form: string): Promise<boolean> {
    return (await this.#first.post(this.#server.paths.token, form)).status === 200
  }
}
