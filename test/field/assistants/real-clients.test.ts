import { setTimeout as delay } from 'node:timers/promises'
import type { CustomerSignInEvent } from 'customer-sign-in'
import { describeWith } from '../../support/describe-with'
import { SeededRandom } from '../../support/seeded-random'
import { SlowFront } from '../../support/slow-front'
import { AssistantHost } from './assistant-host'
import { nodeOfClients, RealClient } from './real-client'
import { type RealClientCode, realClients } from './real-clients'

// Other delays: SEED=7 npx jest test/field/assistants/real-clients
const seed = Number(process.env.SEED ?? 1)

/** The longest delay of a request or a response, in milliseconds. */
const maxDelay = 100

describeWith('test/field/assistants/node_modules, or Node.js 24,', nodeOfClients)('a client that others wrote', () => {
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

  /** Lets the client make its bursts of calls, each of which must be answered. */
  async function burstsOf({ file, bursts }: RealClientCode): Promise<'answered'> {
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
    return 'answered'
  }

  it.each(realClients.map((code) => [code.name, code] as const))(
    'stays signed in when several calls at once find the access token expired: %s',
    async (_name, code) => {
      for (let left = code.isUnsteady ? 3 : 1; left > 0; left--) {
        const hanging = delay(150_000, 'hangs' as const, { ref: false })
        const outcome = await Promise.race([burstsOf(code), hanging]).catch((error: Error) => error)
        // Whatever its own processes do to each other, nothing may have gone wrong at this server. If its port was taken, such a process has
        // registered anew, and may present a token of the earlier registration.
        expect(host.troubles.filter((event) => !code.isUnsteady || !isOfOtherRegistration(event))).toEqual([])
        const signIns = client?.signIns ?? 0
        const hasDisturbedItself = outcome === 'hangs' || signIns > 1
        if (left === 1 || !hasDisturbedItself) {
          return expect({ outcome, signIns }).toEqual({ outcome: 'answered', signIns: 1 })
        }
        await client?.stop()
      }
    },
  )
})

function isOfOtherRegistration(event: CustomerSignInEvent): boolean {
  return event.type === 'denied' && event.reason === 'wrong_client' && event.clientId?.startsWith('dcr_') === true
}
