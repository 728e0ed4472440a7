import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { configAt } from '../postgres-pool'
import type { PostgresServer } from '../postgres-server'
import { PopulatedServer } from './populated-server'
import { sizes } from './size'
import { updates } from './updates'

const tick = 20
const connections = 10
// A machine that is busy with other things sends fewer.
const maxInFlight = 100

/** How much is refreshed, and how a transaction of somebody else is in the way meanwhile. */
export interface HourOptions {
  grants: number
  perSecond: number
  /** Each gives a row. */
  parts: number
  secondsOfPart: number
  /** The parts at whose beginning a transaction begins that stays open, and at whose beginning it ends. */
  held: readonly [from: number, to: number]
}

/** The table of grants at the end of a part. */
export interface HourPart {
  refreshes: number
  tableBytes: number
  indexBytes: number
  deadRows: number
  /** How often autovacuum has gone through the table until then. */
  vacuums: number
  held: boolean
}

/** What constant refreshing does to the files of a server. */
export interface HourResult extends HourOptions {
  rows: HourPart[]
  hotShare: number
}

/** Refreshes grants at a constant rate, with PostgreSQL's own settings, and looks at the table of grants meanwhile. */
export async function measureHour(options: HourOptions): Promise<HourResult> {
  const { server, grants, stop } = await populated(options.grants)
  const other = new Client(configAt(server.port))
  try {
    await other.connect()
    const before = await updates(server)
    const rows: HourPart[] = []
    for (let part = 0; part < options.parts; part++) {
      if (part === options.held[0]) await other.query('begin isolation level repeatable read; select 1')
      if (part === options.held[1]) await other.query('commit')
      const refreshes = await refreshAtRate(grants, options)
      const held = part >= options.held[0] && part < options.held[1]
      rows.push({ ...(await tableOf(server, options.grants)), refreshes, held })
    }
    const after = await updates(server)
    return { ...options, rows, hotShare: (after.hot - before.hot) / (after.all - before.all) }
  } finally {
    await other.end().catch(() => {})
    await stop()
  }
}

async function populated(count: number) {
  const populated = await PopulatedServer.filled(count, {}, connections)
  return { server: populated.server, grants: populated.grants, stop: () => populated.stop() }
}

/** A refresh that is late delays none of the others. @returns How many there were. */
async function refreshAtRate(
  grants: PopulatedServer['grants'],
  { perSecond, secondsOfPart }: HourOptions,
): Promise<number> {
  let refreshes = 0
  const inFlight = new Map<number, Promise<void>>()
  const begin = performance.now()
  const total = perSecond * secondsOfPart
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((performance.now() - begin) / 1000) * perSecond))
    for (; sent < due; sent++) {
      const [number = 0] = grants.someOf(1)
      // The next refresh of a grant needs the reply to the one before.
      if (inFlight.has(number) || inFlight.size >= maxInFlight) continue
      const swap = grants.swap(number).then(() => {
        refreshes++
        inFlight.delete(number)
      })
      inFlight.set(number, swap)
    }
    await setTimeout(tick)
  }
  await Promise.all(inFlight.values())
  return refreshes
}

async function tableOf(server: PostgresServer, grants: number) {
  const { table, indexes } = await sizes(server, grants)
  const [row] = await server.query<{ dead: string; vacuums: string }>(
    `select n_dead_tup as dead, autovacuum_count as vacuums from pg_stat_user_tables
     where relid = 'customer_sign_in.grants'::regclass`,
  )
  return {
    tableBytes: table * grants,
    indexBytes: indexes * grants,
    deadRows: Number(row?.dead),
    vacuums: Number(row?.vacuums),
  }
}
