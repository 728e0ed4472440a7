import { DpopSession } from '@modelcontextprotocol/client'
import { postgresSchema } from 'customer-sign-in/postgres'
import { decode } from 'jsonwebtoken'
import { ProofKey } from '../../../../src/protocol/proof-key'
import { modernSdks, sdks } from '../../../support/mcp-connection'
import { PostgresServer } from '../../../support/postgres-server'
import { Assistant, type Connect } from '../bursts/assistant'
import { BurstSite, onRedis, type SiteStore } from '../bursts/site'

// A process of its own: the SDK loads its library for proofs in a way that Jest does not let it.

const memory: SiteStore = {
  start: async () => ({ port: 0, stop: async () => {} }),
  settingsFor: () => ({ inMemory: true }),
}
const postgres: SiteStore = {
  async start() {
    const server = await PostgresServer.start()
    await server.query(postgresSchema())
    return server
  },
  settingsFor: (port) => ({ postgres: { port } }),
}
const stores: Readonly<Record<string, SiteStore>> = { memory, redis: onRedis, postgres }

/** What has come of it. */
export interface Outcome {
  /** Of the access tokens of the assistant. */
  boundToKey: boolean[]
  signedOut: boolean
  /** What a thief was answered. */
  refusals: string[]
  ended: number
  errors: string[]
}

/** Signs an assistant in that proves its key, from the 401 on, refreshes ten times and in bursts, and lets a thief try what it has. */
async function outcomeOn(name: string): Promise<Outcome> {
  const database = stores[name]
  if (!database) throw new Error(`There is no store ${name}`)
  // Two processes have other clocks than the client, by more than a proof is good for at an API.
  const clockOffsets = name === 'memory' ? [0] : [0, 0, 90, -90]
  const site = await BurstSite.start({ database, maxDelay: 20, clockOffsets })
  try {
    const key = await DpopSession.create()
    // In memory it speaks MCP 2026-07-28 alone, elsewhere the versions before.
    const [, connect] = (name === 'memory' ? modernSdks[0] : sdks[2]) as [string, Connect]
    const withKey: Connect = (server, session) => connect(server, Object.assign(session, { dpop: () => key }))
    const assistant = await Assistant.connected(withKey, site, 3)
    const boundToKey: boolean[] = []
    const refusals = new Set<string>()
    const stolen = new Set<string>()
    const steal = async () => {
      for (const refreshToken of stolen) {
        for (const headers of [{}, { DPoP: proofOfThief(site) }] as Record<string, string>[]) {
          const { status, body } = await site.host.refresh(refreshToken, headers)
          refusals.add(`${status} ${body.error}`)
        }
      }
    }
    for (let refreshed = 0; refreshed < 10; refreshed++) {
      stolen.add(assistant.refreshToken)
      await assistant.refreshingCall()
      boundToKey.push(Object(decode(assistant.accessToken)).cnf?.jkt === key.thumbprint)
    }
    await steal()
    for (const size of [2, 4, 8]) await Promise.all([assistant.burst(size), steal()])
    await assistant.refreshingCall()
    await assistant.close()
    const ended = site.told('revoked') + site.told('replayed')
    const { isSignedOut: signedOut } = assistant
    return { boundToKey, signedOut, refusals: [...refusals].sort(), ended, errors: [...new Set(site.errors)] }
  } finally {
    await site.stop()
  }
}

function proofOfThief({ issuer }: BurstSite): string {
  return new ProofKey().proof({ method: 'POST', url: `${issuer}/token`, now: Date.now() })
}

// The SDKs print a warning at every sign-out.
console.warn = () => {}

outcomeOn(process.argv[2] ?? '').then(
  (outcome) => process.stdout.write(JSON.stringify(outcome)),
  (error) => {
    process.stderr.write(`${error.stack}\n`)
    process.exitCode = 1
  },
)
