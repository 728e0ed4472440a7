import { setTimeout } from 'node:timers/promises'
import { Connection } from '../connection'
import type { Database } from '../database'
import { DatabaseLine } from '../database-line'
import { startDatabase } from '../databases'
import type { Entry, ServerName } from '../lineup'
import { ServerProcess } from '../server-process'
import { setup } from '../servers/contender'
import { codeForm, redeem, refreshForm, register } from '../workloads'

/** What a server stores, in how many round trips, and how it treats replays: what its speed leaves out. */
export interface Keeping {
  server: ServerName
  /** How often one refresh sends each command, or statement, not counting those inside a script or function. */
  commands: Record<string, number>
  round_trips: number
  /** The same with `resource`; absent if the server does not support it. */
  round_trips_with_resource?: number
  /** The same of a client that has registered itself; absent if the server was not asked. */
  commands_of_registered_client?: Record<string, number>
  round_trips_of_registered_client?: number
  /** Redis's memory for each grant after so many rotations; absent if the records are not in memory. */
  bytes_after_0?: number
  bytes_after_1?: number
  bytes_after_20?: number
  /** How many of 50 parallel presentations of one refresh token were given tokens. */
  refresh_winners: number
  /** The same for a code. */
  code_winners: number
  /** Whether replaying a used refresh token makes the newest one invalid. */
  replay_ends_grant: boolean
  /** The same for a code. */
  code_replay_ends_grant: boolean
}

/** How much is measured. */
export interface KeepingOptions {
  /** Of each kind of refresh whose commands and round trips are counted. */
  repetitions: number
  /** For how many grants the memory is measured. */
  grants: number
}

const parallel = 50
// In milliseconds. The default `replayTolerance` of customer-sign-in is ten seconds.
const harmlessFor = 10_500

/**
 * Measures what a server stores, with a database of its own.
 *
 * @returns Waits until a repeat no longer counts as harmless, measures the rest, and ends the server.
 */
export async function beginKeeping(
  { name, database: where, workloads }: Entry,
  { repetitions, grants }: KeepingOptions,
): Promise<() => Promise<Keeping>> {
  const ends: (() => unknown)[] = []
  const endAll = async () => {
    for (const end of ends.reverse()) await end()
  }
  try {
    const database = await startDatabase(where)
    ends.push(() => database.stop())
    const line = await DatabaseLine.to(database.port)
    ends.push(() => line.close())
    const server = await ServerProcess.start(name, line.port)
    ends.push(() => server.stop())
    const connections = await Promise.all(Array.from({ length: parallel }, () => Connection.open(server.port)))
    for (const connection of connections) ends.push(() => connection.close())
    const customers = new Customers(server, connections, repetitions)
    const usedMemory = database.usedMemory?.bind(database)
    const measured = {
      server: name,
      commands: await customers.commandsOfRefresh(database),
      round_trips: await customers.roundTripsOfRefresh(line),
      ...(workloads.includes('refresh with resource') && {
        round_trips_with_resource: await customers.roundTripsOfRefresh(line, { resource: setup.resource }),
      }),
      ...(workloads.includes('refresh of a registered client') && (await customers.ofRegisteredClient(database, line))),
      ...(usedMemory && (await customers.bytes(usedMemory, grants))),
      refresh_winners: await customers.refreshWinners(),
      code_winners: await customers.codeWinners(),
    }
    const replays = await customers.prepareReplays()
    return async () => {
      try {
        return { ...measured, ...(await replays()) }
      } finally {
        await endAll()
      }
    }
  } catch (error) {
    await endAll()
    throw error
  }
}

/** Customers of a server. */
class Customers {
  readonly #server: ServerProcess
  readonly #connections: readonly Connection[]
  readonly #first: Connection
  readonly #repetitions: number

  constructor(server: ServerProcess, connections: readonly Connection[], repetitions: number) {
    const [first] = connections
    if (!first) throw new Error('There is no connection')
    this.#server = server
    this.#connections = connections
    this.#first = first
    this.#repetitions = repetitions
  }

  async commandsOfRefresh(database: Database, clientId?: string): Promise<Record<string, number>> {
    const refresh = await this.#chain({}, clientId)
    const sent = await database.sentDuring(async () => {
      for (let time = 0; time < this.#repetitions; time++) await refresh()
    })
    return Object.fromEntries(Object.entries(sent).map(([command, count]) => [command, count / this.#repetitions]))
  }

  async roundTripsOfRefresh(line: DatabaseLine, more: Record<string, string> = {}, clientId?: string): Promise<number> {
    const refresh = await this.#chain(more, clientId)
    const roundTrips = await line.roundTripsDuring(async () => {
      for (let time = 0; time < this.#repetitions; time++) await refresh()
    })
    return roundTrips / this.#repetitions
  }

  async ofRegisteredClient(
    database: Database,
    line: DatabaseLine,
  ): Promise<Pick<Keeping, 'commands_of_registered_client' | 'round_trips_of_registered_client'>> {
    const clientId = await register(this.#first, this.#server)
    return {
      commands_of_registered_client: await this.commandsOfRefresh(database, clientId),
      round_trips_of_registered_client: await this.roundTripsOfRefresh(line, {}, clientId),
    }
  }

  async bytes(
    usedMemory: () => Promise<number>,
    grants: number,
  ): Promise<Pick<Keeping, 'bytes_after_0' | 'bytes_after_1' | 'bytes_after_20'>> {
    const before = await usedMemory()
    const perGrant = async () => Math.round(((await usedMemory()) - before) / grants)
    const codes = await this.#server.issueCodes(grants)
    let forms = await this.#all(codes.map((code) => codeForm(code)))
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

  /** @returns Replays a code and a refresh token, after the time for which a repeat counts as harmless. */
  async prepareReplays(): Promise<() => Promise<Pick<Keeping, 'replay_ends_grant' | 'code_replay_ends_grant'>>> {
    const code = await this.#code()
    const { refresh_token } = await redeem(this.#first, this.#server, codeForm(code))
    const used = await this.#signIn()
    const [ofCode, ofToken] = [await this.#refreshed(refresh_token), await this.#refreshed(used)]
    const harmlessUntil = performance.now() + harmlessFor
    return async () => {
      await setTimeout(Math.max(0, harmlessUntil - performance.now()))
      await this.#post(codeForm(code))
      await this.#post(refreshForm(used))
      return {
        replay_ends_grant: !(await this.#post(refreshForm(ofToken))),
        code_replay_ends_grant: !(await this.#post(refreshForm(ofCode))),
      }
    }
  }

  async #code(clientId?: string): Promise<string> {
    const [code = ''] = await this.#server.issueCodes(1, clientId)
    return code
  }

  async #signIn(clientId?: string): Promise<string> {
    return (await redeem(this.#first, this.#server, codeForm(await this.#code(clientId), clientId))).refresh_token
  }

  async #refreshed(refreshToken: string): Promise<string> {
    return (await redeem(this.#first, this.#server, refreshForm(refreshToken))).refresh_token
  }

  async #chain(more: Record<string, string>, clientId: string = setup.clientId): Promise<() => Promise<void>> {
    let token = await this.#signIn(clientId)
    return async () => {
      const form = refreshForm(token, { client_id: clientId, ...more })
      token = (await redeem(this.#first, this.#server, form)).refresh_token
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
