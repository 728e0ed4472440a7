import { type ChildProcess, fork } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../../scripts/free-port'
import { NoPostgresError } from '../../scripts/postgres-process'
import { print } from '../quickstart/wire'
import { type Processes, walk } from './client'
import { findDatabase, migrate, schema } from './database'
import type { HostSettings } from './host'

/**
 * Starts two processes of a host over one PostgreSQL database, and plays a client that talks to both. Then it keeps serving; with `--once`
 * it ends.
 */
async function main(): Promise<void> {
  const database = await findDatabase()
  const hosts: ChildProcess[] = []
  const stop = async () => {
    await Promise.all(hosts.map(end))
    await database.stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stop().finally(() => process.exit()))
  }

  try {
    await migrate(database)
    // The address of a load balancer in front of both, which this example does not need.
    const settings = { DATABASE_URL: database.url, BASE_URL: `http://127.0.0.1:${await freePort()}`, ...secrets() }
    const processes: Processes = [await startHost(hosts, settings), await startHost(hosts, settings)]
    print(`Two processes of a host, over PostgreSQL at ${new URL(database.url).host}`)
    await walk(processes, database)
    print('\nEvery step went as it should.')
    if (process.argv.includes('--once')) return await stop()

    print(`\nBoth processes keep running until you press Ctrl+C: ${processes.join(' and ')}`)
    print(`Everything is in the schema ${schema}${process.env.DATABASE_URL ? '' : ` of ${database.url}`}`)
  } catch (surprise) {
    await stop()
    throw surprise
  }
}

/** Starts a process of the host. @returns Its address. */
async function startHost(hosts: ChildProcess[], settings: HostSettings): Promise<string> {
  const env = { ...process.env, NODE_ENV: 'production', ...settings }
  // In a process group of its own: Ctrl+C reaches only the example, which then stops this process.
  const host = fork(join(__dirname, 'host.ts'), { env, detached: true })
  hosts.push(host)
  const ended = once(host, 'exit').then(([code]) => Promise.reject(new Error(`The host ended with ${code}`)))
  const [port] = await Promise.race([once(host, 'message'), ended])
  ended.catch(() => {})
  return `http://127.0.0.1:${port}`
}

async function end(host: ChildProcess): Promise<void> {
  if (host.exitCode !== null || host.signalCode !== null) return
  host.kill('SIGTERM')
  await once(host, 'exit')
}

/** In production, load these from where you keep secrets, the same ones in every deployment. */
function secrets(): Pick<HostSettings, 'SIGNING_KEY' | 'CREDENTIAL_SECRET'> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    SIGNING_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    CREDENTIAL_SECRET: randomBytes(32).toString('base64'),
  }
}

main().catch((surprise) => {
  const why = surprise instanceof NoPostgresError ? surprise.message : `That was not expected: ${surprise.stack}`
  process.stderr.write(`\n${why}\n`)
  process.exitCode = 1
})
