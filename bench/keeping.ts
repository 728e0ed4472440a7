import { Connection } from './connection'
import type { ServerName } from './lineup'
import { RedisLine } from './redis-line'
import { BenchServer } from './redis-server'
import { ServerProcess } from './server-process'
import { setup } from './servers/contender'
import { codeForm, redeem, refreshForm } from './workloads'

/** What a server keeps and how it keeps it: what it does not do for its time stands beside its speed. */
export interface Keeping {
  server: ServerName
  /** The commands of one refresh, as a table `command: how often`, without those inside a script. */
  commands: Record<string, number>
  round_trips: number
  /** The same with `resource`; absent where the server does not know it. */
  round_trips_with_resource?: number
  /** Redis's memory for each grant after so many rotations. */
  bytes_after_0: number
  bytes_after_1: number
  bytes_after_20: number
  /** How many of 50 parallel presentations of one refresh token were given tokens. */
  refresh_winners: number
  /** The same for a code. */
  code_winners: number
  /** Whether a used refresh token that comes again ends what it led to. */
  replay_ends_grant: boolean
  /** The same for a code. */
  code_replay_ends_grant: boolean
}

const parallel = 50
const times = 50

/** Finds out what a server keeps, over a Redis server of its own. @param grants For how many grants the memory is measured. */
export async function keepingOf(
  name: ServerName,
  { resource, grants }: { resource: boolean; grants: number },
): Promise<Keeping> {
  const redis = await BenchServer.start()
  const line = await RedisLine.to(redis.redis.options.port ?? 0)
  const server = await ServerProcess.start(name, line.port)
  const connections = await Promise.all(Array.from({ length: parallel }, () => Connection.open(server.port)))
  const customer = new Customers(server, connections)
  try {
    return {
      server: name,
      commands: await customer.commandsOfRefresh(redis),
      round_trips: await customer.roundTripsOfRefresh(line),
      ...(resource && {
        round_trips_with_resource: await customer.roundTripsOfRefresh(line, { resource: setup.resource }),
      }),
      ...(await customer.bytes(redis, grants)),
      refresh_winners: await customer.refreshWinners(),
      code_winners: await customer.codeWinners(),
      replay_ends_grant: await customer.replayEndsGrant(),
      code_replay_ends_grant: await customer.codeReplayEndsGrant(),
    }
  } finally {
    for (const connection of connections) connection.close()
    await server.stop()
    line.close()
    await redis.stop()
  }
}

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

  async commandsOfRefresh(redis: BenchServer): Promise<Record<string, number>> {
    const refresh = await this.#chain()
    const counts: Record<string, number> = {}
    const monitor = await redis.redis.monitor()
    monitor.on('monitor', (_time, [command = '']: string[], source: string) => {
      if (source !== 'lua') counts[command.toLowerCase()] = (counts[command.toLowerCase()] ?? 0) + 1
    })
    for (let time = 0; time < times; time++) await refresh()
    const seen = new Promise((resolve) =>
      monitor.on('monitor', (_time, [, text]: string[]) => text === 'end' && resolve(text)),
    )
    await redis.redis.echo('end')
    await seen
    monitor.disconnect()
    const { echo: _, info: __, ...sent } = counts
    return Object.fromEntries(Object.entries(sent).map(([command, count]) => [command, count / times]))
  }

  async roundTripsOfRefresh(line: RedisLine, more?: Record<string, string>): Promise<number> {
    const refresh = await this.#chain(more)
    const before = line.roundTrips
    for (let time = 0; time < times; time++) await refresh()
    return (line.roundTrips - before) / times
  }

  async bytes(
    redis: BenchServer,
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

  /** Redeems what each form holds. @returns The forms that redeem what came of it. */
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
