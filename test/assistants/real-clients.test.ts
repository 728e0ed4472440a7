import { describeWith } from '../support/describe-with'
import { SeededRandom } from '../support/seeded-random'
import { SlowFront } from '../support/slow-front'
import { AssistantHost } from './assistant-host'
import { nodeOfClients, RealClient } from './real-client'
import { realClients } from './real-clients'

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

  it.each(realClients.map((code) => [code.name, code] as const))(
    'stays signed in when several calls at once find the access token expired: %s',
    async (_name, { file, bursts }) => {
      client = await RealClient.start(file, company)
      const isCustomer1 = { text: expect.stringContaining('customer-1') }
      expect(await client.call()).toEqual([isCustomer1])
      for (const size of bursts) {
        front.expireSeen()
        const answers = await client.call(size)
        expect(answers).toHaveLength(size)
        front.expireSeen()
        expect({ size, answer: await client.call() }).toEqual({ size, answer: [isCustomer1] })
      }
      expect(client.signIns).toBe(1)
      expect(host.troubles).toEqual([])
    },
    120_000,
  )
})
