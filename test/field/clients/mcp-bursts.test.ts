import { setTimeout as delay } from 'node:timers/promises'
import { sdks } from '../../support/mcp-connection'
import { describeWithRedis } from '../../support/redis-server'
import { Assistant, type Connect } from './bursts/assistant'
import { runBursts } from './bursts/run-bursts'
import { BurstSite } from './bursts/site'

// Other delays: SEED=7 npx jest mcp-bursts. Many more bursts: npx tsx test/field/clients/bursts/main.ts
const seed = Number(process.env.SEED ?? 1)
const sizes = [2, 3, 6, 10, 16, 2, 3, 6, 10, 16]

const versions = sdks.filter(([version]) => version !== '1.17.0')
// The time limit is for one round of bursts and not for all, however busy the machine is.
const rounds = versions.flatMap(([version, connect]) => [1, 2, 3].map((round) => [version, round, connect] as const))

// The SDKs print a warning at every sign-out.
beforeEach(() => jest.spyOn(console, 'warn').mockImplementation())
afterEach(() => jest.restoreAllMocks())

describeWithRedis('requests at once that find the access token refused', () => {
  let site: BurstSite
  beforeAll(async () => {
    site = await BurstSite.start({ seed })
  })
  afterAll(() => site.stop())

  it.each(rounds)('sign no customer out on the MCP SDK %s, in round %d', async (version, _round, connect) => {
    const bursts = await runBursts(connect, site, sizes)
    // SDK 1 itself fails a request if another one on its connection has refreshed and is not answered yet.
    const failsSome = version !== '2'
    expect(bursts.filter(({ signedOut, refused }) => signedOut || (refused > 0 && !failsSome))).toEqual([])
    expect(bursts).toHaveLength(sizes.length)
    expect(site.errors).toEqual([])
  })
})

describeWithRedis('a message that is slower than the requests beside it', () => {
  let site: BurstSite
  beforeAll(async () => {
    site = await BurstSite.start({ seed, maxDelay: 0 })
  })
  afterAll(() => site.stop())

  it.each(versions)(
    'may bring a token that others have refreshed since, on the MCP SDK %s',
    async (_version, connect) => {
      await withAssistant(connect, site, async (assistant) => {
        const late = site.front.holdNext('request')
        const slowCall = assistant.refreshingCall()
        await late.arrived
        for (let refreshed = 0; refreshed < 3; refreshed++) await assistant.refreshingCall()
        const newest = assistant.refreshToken
        late.letGo()
        await slowCall
        expect(assistant.refreshToken).toBe(newest)
        await expectSignedIn(assistant)
      })
    },
  )

  it.each(versions)('saves no older token over the newest, on the MCP SDK %s', async (_version, connect) => {
    await withAssistant(connect, site, async (assistant) => {
      const late = site.front.holdNext('response')
      const slowCall = assistant.refreshingCall()
      await late.arrived
      for (let refreshed = 0; refreshed < 3; refreshed++) await assistant.refreshingCall()
      const newest = assistant.refreshToken
      late.letGo()
      await slowCall
      expect(assistant.refreshToken).toBe(newest)
      expect(assistant.keepsOlderToken).toBe(false)
      await expectSignedIn(assistant)
    })
  })
})

describeWithRedis('a thief who copied the refresh token from before a burst', () => {
  const refreshRetryWindow = 2
  let site: BurstSite
  beforeAll(async () => {
    site = await BurstSite.start({ seed, refreshRetryWindow, maxDelay: 20 })
  })
  afterAll(() => site.stop())

  it.each(versions)('ends the grant once the window is over, on the MCP SDK %s', async (_version, connect) => {
    await withAssistant(connect, site, async (assistant) => {
      const stolen = assistant.refreshToken
      await assistant.burst(6)
      const windowEnds = performance.now() + refreshRetryWindow * 1000
      await expectSignedIn(assistant)
      await delay(windowEnds - performance.now())
      const { status, body } = await site.host.refresh(stolen)
      expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' })
      expect(await assistant.refreshes()).toBe(false)
      expect(assistant.isSignedOut).toBe(true)
    })
  })
})

async function withAssistant(connect: Connect, site: BurstSite, use: (assistant: Assistant) => Promise<void>) {
  const assistant = await Assistant.connected(connect, site)
  try {
    await use(assistant)
  } finally {
    await assistant.close()
  }
}

async function expectSignedIn(assistant: Assistant): Promise<void> {
  await assistant.refreshingCall()
  expect(assistant.isSignedOut).toBe(false)
}
