import type { PostgresCampaignStore } from '../stores/postgres-campaign-store'
import type { Nemesis, Stage } from './nemesis'
import {
  cutConnections,
  fourteenSeconds,
  freezeServer,
  frozenShortly,
  jumps,
  killServer,
  leisurely,
  long,
  loseAnswers,
  once,
  onlyOnce,
  setClock,
  short,
  silentShortly,
} from './server-faults'

/** An operator ends all connections. */
async function endConnections(
  { random, isOver, sleep, tell }: Stage,
  { master }: PostgresCampaignStore,
): Promise<void> {
  while (!isOver()) {
    await sleep(300 + random.next() * 1200)
    await master.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
    )
    tell('all connections have been ended')
  }
}

/** Something locks the table for a while, such as a migration. */
async function lockTable({ random, isOver, sleep, tell }: Stage, { master }: PostgresCampaignStore): Promise<void> {
  while (!isOver()) {
    await sleep(1500 + random.next() * 2500)
    tell('the table of grants is locked')
    // The server runs the statements of one query as one transaction.
    await master.query(
      `set statement_timeout = 0; lock table customer_sign_in.grants in access exclusive mode;
       select pg_sleep(${0.3 + random.next() * 3})`,
    )
  }
}

/** The replica takes over, at once or after the hosts have written to the old primary for a while. */
async function failOver({ random, history, sleep, tell }: Stage, store: PostgresCampaignStore): Promise<void> {
  await sleep(5000 + random.next() * 3000)
  const from = history.now() - 250
  const divided = random.next() < 0.5 ? 10 + random.next() * 50 : 800 + random.next() * 700
  await store.failOver(() => new Promise((resolve) => setTimeout(resolve, divided)))
  tell('the replica has taken over', { from, to: history.now() + 50 })
  await sleep(Number.POSITIVE_INFINITY)
}

/** The nemeses of a PostgreSQL server, and of the network between it and the hosts. */
export const postgresFaults: Nemesis[] = [
  { name: 'postgres-killed', on: 'postgres', run: (stage, store) => killServer(stage, store, short) },
  {
    name: 'one-outage-of-postgres-leisurely-retries',
    on: 'postgres',
    retry: leisurely,
    run: (stage, store) => onlyOnce(stage, (limited) => killServer(limited, store, once)),
  },
  { name: 'long-outages-of-postgres', on: 'postgres', run: (stage, store) => killServer(stage, store, long) },
  { name: 'postgres-frozen', on: 'postgres', run: (stage, store) => freezeServer(stage, store, frozenShortly) },
  { name: 'postgres-frozen-long', on: 'postgres', run: (stage, store) => freezeServer(stage, store, fourteenSeconds) },
  {
    name: 'answers-of-postgres-lost',
    on: 'postgres',
    setup: { proxies: true },
    run: (stage, store) => loseAnswers(stage, store, silentShortly),
  },
  {
    name: 'answers-of-postgres-lost-for-long',
    on: 'postgres',
    setup: { proxies: true },
    run: (stage, store) => loseAnswers(stage, store, fourteenSeconds),
  },
  { name: 'connections-to-postgres-cut', on: 'postgres', setup: { proxies: true }, run: cutConnections },
  { name: 'connections-to-postgres-ended', on: 'postgres', run: endConnections },
  { name: 'table-locked', on: 'postgres', run: lockTable },
  { name: 'clock-of-postgres-jumps', on: 'postgres', setup: { clock: true }, storeClockJumps: jumps, run: setClock },
  { name: 'failover-of-postgres', on: 'postgres', setup: { proxies: true, replica: true }, run: failOver },
]
