import { setTimeout as delay } from 'node:timers/promises'
import { describeWith } from '../support/describe-with'
import { SeededRandom } from '../support/seeded-random'
import { SlowFront } from '../support/slow-front'
import { AssistantHost } from './assistant-host'
import { nodeOfClients, RealClient } from './real-client'
import { type RealClientCode, realClients } from './real-clients'

// Other delays: SEED=7 npx jest test/assistants/real-clients
const seed = Number(process.env.SEED ?? 1)

/** The longest delay of a request or a response, in milliseconds. */
const maxDelay = 100

describeWith('test/assistants/node_modules, or Node.js 24,', nodeOfClients)('a client that others wrote', () => {
  let front: SlowFront
  let host: AssistantHost
  let client: RealClient | undefined
  let company: { server: string; issuer: string }
  beforeEach(async () => {
    front = await SlowFront.start(new SeededRandom(seed), maxDelay)
    const mastra = { clientId: 'mastra', redirectUris: ['https://assistant.example/callback'] }
    host = await AssistantHost.start({ options: { baseUrl: front.url }, client: mastra })
    front.targets = [host.url]
    company = { server: `${front.url}/v1/acme/mcp`, issuer: `${front.url}/v1/acme/oauth` }
  })
  afterEach(async () => {
    await client?.stop()
    client = undefined
    await front.stop()
    await host.stop()
  })

  /** Lets the client make its bursts of calls. @returns How often it has asked its customer to sign in. */
  async function signInsOf({ file, bursts }: RealClientCode): Promise<number> {
    const started = await RealClient.start(file, company)
    client = started
    const isCustomer1 = { text: expect.stringContaining('customer-1') }
    expect(await started.call()).toEqual([isCustomer1])
    for (const size of bursts) {
      front.expireSeen()
      const answers = await started.call(size)
      expect(answers).toHaveLength(size)
      front.expireSeen()
      expect({ size, answer: await started.call() }).toEqual({ size, answer: [isCustomer1] })
    }
    return started.signIns
  }

  it.each(realClients.map((code) => [code.name, code] as const))(
    'stays signed in when several calls at once find the access token expired: %s',
    async (_name, code) => {
      for (let left = code.isUnsteady ? 3 : 1; left > 0; left--) {
        const signedIn = signInsOf(code).catch((error: Error) => error)
        const signIns = await Promise.race([signedIn, delay(60_000, 'hangs', { ref: false })])
        const isGood = signIns === 1 && host.troubles.length === 0
        if (isGood || left === 1)
          return expect({ signIns, troubles: host.troubles }).toEqual({ signIns: 1, troubles: [] })
        await client?.stop()
        host.events.splice(0)
      }
    },
    200_000,
  )
})
