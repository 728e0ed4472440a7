import { releaseClock, stopClock } from '../../support/clock'
import { DocumentServer } from '../../support/document-server'
import { SeededRandom } from '../../support/seeded-random'
import type { Assistant } from './assistant'
import { AssistantHost } from './assistant-host'
import { assistants } from './assistants'
import { Player } from './player'
import { publishing } from './publisher'
import { Refused } from './refused'

// Other delays: SEED=7 npx jest test/field/assistants/players
const seed = Number(process.env.SEED ?? 1)

const served = assistants.filter(({ refused }) => !refused)
const refused = assistants.filter(({ refused }) => refused)

const titleOf = ({ name, variant }: Assistant) => [name, variant].filter(Boolean).join(' ')

let host: AssistantHost | undefined
afterEach(async () => {
  releaseClock()
  await host?.stop()
  host = undefined
})

async function play(assistant: Assistant): Promise<Player> {
  const clock = stopClock()
  host = await AssistantHost.start(assistant.host)
  const documents = await DocumentServer.start(publishing(assistant))
  return new Player(assistant, host, documents, clock, new SeededRandom(seed))
}

describe('an assistant that gets an address stays connected from its discovery to its third refresh:', () => {
  const runnable = served.map((assistant) => [titleOf(assistant), assistant] as const)
  it.each(runnable)('%s', async (_name, assistant) => {
    const player = await play(assistant)
    await player.connect()
    expect(player.connectedBy).toBe(assistant.connects)
    expect(player.scope.split(' ')).toContain('bookings:read')
    expect(await player.callTool()).toEqual({ status: 200, text: expect.stringContaining('customer-1') })
    for (let refreshed = 0; refreshed < 3; refreshed++) await player.refresh()
    expect(host?.troubles).toEqual([])
  })
})

describe('an assistant that cannot be served is told why:', () => {
  it.each(refused.map((assistant) => [titleOf(assistant), assistant] as const))('%s', async (_name, assistant) => {
    const player = await play(assistant)
    const told = await whatItIsTold(player)
    const { at, error, says } = assistant.refused ?? { at: '', error: '', says: '' }
    expect({ at: told.at, error: told.error, says: told.message }).toEqual({
      at,
      error,
      says: expect.stringContaining(says),
    })
  })
})

describe('an assistant that looks for metadata only at the root of the host', () => {
  const rootOnly = assistants.filter(({ host }) => host?.ownDomain)

  it.each(rootOnly.map((assistant) => [titleOf(assistant), assistant] as const))(
    'finds none on a host that companies share: %s',
    async (_name, assistant) => {
      const player = await play({ ...assistant, host: {} })
      await expect(player.connect()).rejects.toThrow('There is no authorization server metadata where it looks')
    },
  )
})

describe('what is said about each assistant', () => {
  it('has a title of its own, a date, and a public source for everything that it does', () => {
    expect(new Set(assistants.map(titleOf)).size).toBe(assistants.length)
    for (const assistant of assistants) {
      expect(assistant).toMatchObject({ checked: expect.stringMatching(/^20\d\d-\d\d-\d\d$/) })
      expect(assistant.quirks).not.toEqual([])
      for (const { source } of assistant.quirks) expect(new URL(source).protocol).toBe('https:')
    }
  })
})

async function whatItIsTold(player: Player): Promise<Refused> {
  try {
    await player.connect()
    for (let refreshed = 0; refreshed < 3; refreshed++) await player.refresh()
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
  throw new Error('It was not refused anything')
}
