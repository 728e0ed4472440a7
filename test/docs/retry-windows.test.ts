import { MemoryTokenStore } from 'customer-sign-in'
import type { Response } from 'supertest'
import { releaseClock, stopClock } from '../support/clock'
import { expectTokens } from '../support/sign-in'
import { started, stopAll } from '../support/started'
import { allTablesUnder, textOf } from './pages'

const page = 'docs/credential-chain.md'
const heading = '### Choosing `refreshRetryWindow`'
const windows = [0, 10, 300, 1800, 3900]
const [minute, hour] = [60, 3600]

/** A customer with two server processes, who has just connected an assistant. All clocks are stopped. */
async function connected(refreshRetryWindow: number) {
  const clock = stopClock()
  const shared = { tokenStore: new MemoryTokenStore(), baseUrl: 'https://assistant.example', refreshRetryWindow }
  const servers = [await started(shared), await started(shared)] as const
  const { refresh_token } = await servers[0].connected()
  let asked = 0
  /** Refreshes at one of the servers and at the other in turn. */
  const refresh = (token: string) => servers[asked++ % 2 === 0 ? 0 : 1].refresh(token)
  return { clock, refresh, first: refresh_token }
}

type Connected = Awaited<ReturnType<typeof connected>>

/** One process of a client. It keeps its tokens in memory, and writes the new ones into a file that all processes share. */
class ClientProcess {
  readonly #refresh: Connected['refresh']
  token: string
  isSignedOut = false

  constructor({ refresh, first }: Connected) {
    this.#refresh = refresh
    this.token = first
  }

  async refresh(): Promise<void> {
    this.#keep(await this.#refresh(this.token))
  }

  /** Refreshes once for each of its open requests. The last response decides which tokens it keeps. */
  async burst(): Promise<void> {
    const answers = await Promise.all(Array.from({ length: 16 }, () => this.#refresh(this.token)))
    for (const answer of answers) this.#keep(answer)
  }

  #keep({ status, body }: Response): void {
    if (status === 200) this.token = body.refresh_token
    else this.isSignedOut = true
  }
}

/** Whether a client with one process comes again this long after it has lost a response, and stays signed in. */
const repeats = (later: number) => async (world: Connected) => {
  expectTokens(await world.refresh(world.first))
  world.clock.advance(later)
  const client = new ClientProcess(world)
  await client.refresh()
  return client
}

/** The other process of a client refreshes with the first token this long after it was used, with bursts in between. */
const shares = (later: number, every: number) => async (world: Connected) => {
  const [one, other] = [new ClientProcess(world), new ClientProcess(world)]
  await one.burst()
  for (let passed = 0; passed < later; passed += every) {
    world.clock.advance(Math.min(every, later - passed))
    if (passed + every < later && !one.isSignedOut) await one.burst()
  }
  await other.refresh()
  await one.refresh()
  one.isSignedOut ||= other.isSignedOut
  return one
}

const clients: Record<string, (world: Connected) => Promise<ClientProcess>> = {
  'refreshes 16 times at once': async (world) => {
    const client = new ClientProcess(world)
    await client.burst()
    return client
  },
  'repeats a refresh 9 seconds after a lost response': repeats(9),
  'repeats it 4 minutes later': repeats(4 * minute),
  'repeats it 29 minutes later': repeats(29 * minute),
  'has two processes, and one presents what the other used 59 minutes ago': shares(59 * minute, 10 * minute),
  'the same 60 minutes ago': shares(60 * minute, 10 * minute),
  'the same 64 minutes ago': shares(64 * minute, 10 * minute),
  'the same 8 hours ago': shares(8 * hour, hour),
}

/** Somebody refreshes, or seconds pass. */
type Move = 'client' | 'thief' | number

/** A client refreshes each hour for three days, and so does a thief, who begins with a copy of its token. Tells when it is noticed. */
const theft = (eachHour: readonly Move[], sleeps: boolean) => async (world: Connected) => {
  const [client, thief] = [new ClientProcess(world), new ClientProcess(world)]
  for (let passed = 0; passed < 72; passed++) {
    const isAsleep = sleeps && passed >= 24 && passed < 32
    for (const move of eachHour) {
      if (typeof move === 'number') world.clock.advance(move)
      else if (move === 'thief') await thief.refresh()
      else if (!isAsleep) await client.refresh()
    }
    if (client.isSignedOut || thief.isSignedOut) return passed < 24 ? 'at once' : 'after the pause'
  }
  return 'never'
}

const soonAfter: Move[] = ['client', 200, 'thief', 3400]
const longBefore: Move[] = [1200, 'thief', 2400, 'client']

const thieves: Record<string, (world: Connected) => Promise<string>> = {
  'a used one, 200 s after each refresh of the client': theft(soonAfter, false),
  'the same, and the client pauses for 8 hours': theft(soonAfter, true),
  'the newest one, 40 minutes before each refresh of the client': theft(longBefore, false),
  'that, and the client pauses for 8 hours': theft(longBefore, true),
}

/** For how many seconds a thief gets tokens for a refresh token that the client has used. */
async function usedTokenWorks(window: number): Promise<string> {
  const comes = (later: number) =>
    play(window, async ({ clock, refresh, first }) => {
      expectTokens(await refresh(first))
      clock.advance(later)
      return (await refresh(first)).status
    })
  if (window > 0) expect(await comes(window - 0.001)).toBe(200)
  expect(await comes(window)).toBe(400)
  return `${window} s`
}

async function play<Result>(window: number, scene: (world: Connected) => Promise<Result>): Promise<Result> {
  try {
    return await scene(await connected(window))
  } finally {
    await stopAll()
    releaseClock()
  }
}

async function playEach(scene: (world: Connected) => Promise<string>): Promise<string[]> {
  const cells: string[] = []
  for (const window of windows) cells.push(await play(window, scene))
  return cells
}

function rowOf(table: readonly string[][], name: string): string[] | undefined {
  return table.find(([first]) => first === name)
}

describe('the tables of the retry windows', () => {
  const [, byClient = [], byThief = []] = allTablesUnder(heading, page)
  const columns = windows.map((window) => `${window} s`).join(' | ')

  it.each(['a client that', 'a refresh token that a thief presents'])('have a column for each window: %s', (what) => {
    expect(textOf(page).split('\n')).toContain(`| ${what} | ${columns} |`)
  })

  it.each(Object.entries(clients))('say which windows keep a client that %s', async (does, scene) => {
    const cells = await playEach(async (world) => ((await scene(world)).isSignedOut ? 'signed out' : 'stays'))
    expect(rowOf(byClient, does)).toEqual([does, ...cells])
  })

  it('say for how long a used refresh token works', async () => {
    const cells: string[] = []
    for (const window of windows) cells.push(await usedTokenWorks(window))
    expect(rowOf(byThief, 'a used one: it works for')).toEqual(['a used one: it works for', ...cells])
  })

  it.each(Object.entries(thieves))('say when it is noticed that a thief presents %s', async (does, scene) => {
    const row = `${does}: noticed`
    expect(rowOf(byThief, row)).toEqual([row, ...(await playEach(scene))])
  })

  it('have no row that was not played', () => {
    expect(byClient).toHaveLength(Object.keys(clients).length)
    expect(byThief).toHaveLength(Object.keys(thieves).length + 1)
  })
})
