import { hash } from 'node:crypto'
import type { Grant } from '../../../src/contract/token-store'
import type { CalledStore, StoreCall } from './explored-store'
import type { House } from './house'
import { type Deed, epoch, hostTimeout, type Scenario, theAssertion } from './scenario'
import type { Answer, Rooms, Server } from './server'
import { clientId, subject, tenant } from './server'
import { movingStore } from './two-stores'
import { VirtualTime } from './virtual-time'

/** What happens to a process, at a time of the monotonic clock. */
export type Input = { at: number } & (
  | { happens: 'start'; storeNow?: number | undefined }
  | { happens: 'request'; by: string; does: Deed; token: string; key: string | undefined }
  | { happens: 'answer'; call: number; result: unknown }
  | { happens: 'failure'; call: number }
  | { happens: 'time'; duration: number }
  /** The store's clock is set, which it does not notice yet. */
  | { happens: 'clock' }
)

/** A call of the store, or of the signer, that a process waits for. */
export interface OpenCall {
  /** Its place among all calls of the process. */
  number: number
  by: string
  call: StoreCall | 'sign'
  sentAt: number
}

/** How a request ended. */
export type Outcome =
  | { kind: 'tokens'; token: string; by: string }
  | { kind: 'refused'; reason: string }
  | { kind: 'unavailable' | 'done' | 'lost' }

/** What a process does when something happens to it. */
export interface Reaction {
  open: readonly OpenCall[]
  /** Which of its calls it has given up, because they took too long. */
  givenUp: readonly OpenCall[]
  outcomes: readonly { by: string; outcome: Outcome }[]
  events: readonly { type: string; grantId?: string; ended?: boolean }[]
  /** When its timers are due, except those of its calls. */
  timers: readonly number[]
}

export interface ProcessKind {
  house: House
  rooms: Rooms
  scenario: Scenario
}

/**
 * A process of the host after all that has happened to it. It runs the real code, and shares nothing with the others but the store, so what it
 * does follows from what has happened to it alone. The code runs again for each history that is new.
 */
export class HostProcess {
  readonly name: string
  readonly reaction: Reaction
  /** Two processes with the same state do the same from now on. */
  readonly state: string
  readonly #kind: ProcessKind
  readonly #history: readonly Input[]
  readonly #heard: ReadonlyMap<string, readonly string[]>
  readonly #disturbed: readonly string[] | undefined
  readonly #next = new Map<string, HostProcess>()

  private constructor(
    kind: ProcessKind,
    name: string,
    history: readonly Input[],
    reaction: Reaction,
    heard: ReadonlyMap<string, readonly string[]>,
    disturbed: readonly string[] | undefined,
  ) {
    this.#kind = kind
    this.name = name
    this.#history = history
    this.reaction = reaction
    this.#heard = heard
    this.#disturbed = disturbed
    this.state = JSON.stringify([name, disturbed ?? [...heard].sort(), reaction.timers])
  }

  static async start(kind: ProcessKind, name: string, at: number, storeNow: number | undefined): Promise<HostProcess> {
    const history: Input[] = [{ happens: 'start', at, storeNow }]
    const disturbed = storeNow === undefined ? [`start ${at}`] : undefined
    return new HostProcess(kind, name, history, await relive(kind, name, history), new Map(), disturbed)
  }

  /** The process after something more has happened to it. */
  after(input: Input): HostProcess | Promise<HostProcess> {
    const key = JSON.stringify(input)
    const known = this.#next.get(key)
    return known ?? this.#live(input, key)
  }

  async #live(input: Input, key: string): Promise<HostProcess> {
    const history = [...this.#history, input]
    const reaction = await relive(this.#kind, this.name, history)
    const heard = new Map(this.#heard)
    const by = this.#byOf(input)
    heard.set(by, [...(heard.get(by) ?? []), key])
    for (const { by: done } of reaction.outcomes) heard.delete(done)
    // Until something goes wrong, a process remembers nothing that its requests do not.
    const goesWrong =
      input.happens === 'failure' ||
      input.happens === 'clock' ||
      (input.happens === 'time' && this.reaction.open.length > 0)
    const before = this.#disturbed ?? (goesWrong ? [JSON.stringify([...this.#heard].sort())] : undefined)
    if (input.happens === 'time' && !before) heard.delete(by)
    const after = new HostProcess(this.#kind, this.name, history, reaction, heard, before && [...before, key])
    this.#next.set(key, after)
    return after
  }

  #byOf(input: Input): string {
    if (input.happens === 'request') return input.by
    if (input.happens !== 'answer' && input.happens !== 'failure') return ''
    return this.reaction.open.find(({ number }) => number === input.call)?.by ?? ''
  }
}

/** Runs the code of a process from its start, through all that has happened to it. @returns What it did last. */
async function relive(kind: ProcessKind, name: string, history: readonly Input[]): Promise<Reaction> {
  const { house, rooms, scenario } = kind
  const time = new VirtualTime()
  const madeBy = new Map<string, number>()
  const waiting = new Map<
    number,
    { open: OpenCall; resolve: (result: unknown) => void; reject: (error: Error) => void }
  >()
  let calls = 0
  let running = ''
  let storeNow: number | undefined
  let outcomes: { by: string; outcome: Outcome }[] = []
  let events: Reaction['events'][number][] = []
  let givenUp: OpenCall[] = []
  let server: Server | undefined
  let moveAll: (() => unknown) | undefined

  function countOne(): number {
    const count = (madeBy.get(running) ?? 0) + 1
    madeBy.set(running, count)
    return count
  }

  house.runOn({
    performance: { now: () => time.now },
    setTimeout: (call, delay) => time.set(call, delay, running, delay === hostTimeout || delay === hostTimeout / 2),
    clearTimeout: (timer) => time.clear(timer),
    // Its maker's name is part of it, so that the order of two requests is not.
    randomUUID: () => {
      return `${name}${running.slice(0, 9)}${countOne()}`.padStart(36, '-')
    },
    randomInt: () => Number.parseInt(hash('sha1', `${name}${running}${countOne()}`).slice(0, 10), 16) + 1,
  })

  const openCalls = () => [...waiting.values()].map(({ open }) => open)

  function call<Result>(what: StoreCall | 'sign'): Promise<Result> {
    if (storeNow !== undefined) return Promise.resolve({ outcome: 'missing', now: storeNow } as Result)
    const open = { number: calls++, by: running, call: what, sentAt: time.now }
    return new Promise((resolve, reject) => {
      waiting.set(open.number, { open, resolve: resolve as never, reject })
    })
  }

  async function step(input: Input): Promise<void> {
    if (input.happens === 'start') {
      storeNow = input.storeNow
      const sign = scenario.hasSigner ? () => call<void>('sign') : undefined
      const emit = (event: { type: string }) => events.push(event)
      const step = scenario.moving && (scenario.moving[name.replace("'", '')] ?? 'move')
      const moving = step && movingStore(house, step, call, connection)
      moveAll = () => moving?.moveCustomer(tenant.id, subject)
      server = rooms.start(moving ?? connection(call), scenario, sign, emit, () => epoch + time.now)
      if (storeNow !== undefined) await server.knock()
      storeNow = undefined
    } else if (input.happens === 'request') {
      const { by, does, token, key } = input
      running = by
      void (does === 'move' ? moved(moveAll) : deed(server as Server, does, token, key, time.now))
        .catch(toRefusal)
        .then((outcome) => outcomes.push({ by, outcome }))
    } else if (input.happens === 'time') {
      await time.pass(
        input.duration,
        (owner) => {
          running = owner
        },
        settled,
      )
    } else if (input.happens !== 'clock') {
      const waiter = waiting.get(input.call)
      if (!waiter) throw new Error(`Process ${name} does not wait for call ${input.call}`)
      waiting.delete(input.call)
      running = waiter.open.by
      if (input.happens === 'answer') waiter.resolve(input.result)
      else waiter.reject(new Error('The connection broke'))
    }
    await settled()
  }

  for (const input of history) {
    time.now = input.at
    outcomes = []
    events = []
    await step(input)
    // A store that moves goes on with what its request no longer waits for.
    givenUp = scenario.moving ? [] : openCalls().filter((open) => isGivenUp(open, time.now))
    for (const { number } of givenUp) waiting.delete(number)
  }
  return { open: openCalls(), givenUp, outcomes, events, timers: time.due() }
}

/** A swap or a new grant is given up after half of the time, so that it can be sent once more. */
function isGivenUp({ call, sentAt }: OpenCall, now: number): boolean {
  const isSentTwice = call !== 'sign' && ['swapCredential', 'createGrant'].includes(call.method)
  const patience = isSentTwice ? hostTimeout / 2 : hostTimeout
  return call !== 'sign' && call.method !== 'deleteGrants' && sentAt + patience <= now
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function connection(call: <Result>(what: StoreCall) => Promise<Result>): CalledStore {
  const method =
    (name: keyof CalledStore) =>
    (...args: unknown[]) =>
      call({ method: name, args })
  return {
    createGrant: method('createGrant'),
    findGrant: method('findGrant'),
    swapCredential: method('swapCredential'),
    reverseSwap: method('reverseSwap'),
    deleteGrant: method('deleteGrant'),
    listGrants: method('listGrants'),
    useOnce: method('useOnce'),
    async *deleteGrants(owner: unknown) {
      for (;;) {
        const { grant, isLast } = await call<{ grant?: Grant; isLast?: boolean }>({
          method: 'deleteGrants',
          args: [owner],
        })
        if (grant) yield grant
        if (isLast) return
      }
    },
  } as never
}

async function moved(moveAll?: () => unknown): Promise<Outcome> {
  await moveAll?.()
  return { kind: 'done' }
}

async function deed(
  server: Server,
  does: Deed,
  token: string,
  key: string | undefined,
  since: number,
): Promise<Outcome> {
  if (does === 'revoke') return server.revoke(token).then(() => ({ kind: 'done' }))
  if (does === 'mint') return { kind: 'tokens', ...(await server.mint(token, since)) }
  if (does === 'end the grant') return server.endGrantOf(theAssertion).then(() => ({ kind: 'done' }))
  if (does === 'end all grants') return server.endAll().then(() => ({ kind: 'done' }))
  const client = does === 'redeem as another client' ? 'another client' : clientId
  const answer: Answer = await server.redeem(token, client, key)
  return { kind: 'tokens', ...answer }
}

function toRefusal(error: { code?: string; reason?: string }): Outcome {
  if (error.code === 'temporarily_unavailable') return { kind: 'unavailable' }
  if (['invalid_grant', 'invalid_client', 'invalid_dpop_proof'].includes(String(error.code)))
    return { kind: 'refused', reason: String(error.reason) }
  return { kind: 'refused', reason: String(error) }
}
