import { hash } from 'node:crypto'
import type { Grant } from '../../../src/contract/token-store'
import type { ExploredStore, StoreCall } from './explored-store'
import { HostProcess, type Input, type OpenCall, type Outcome } from './host-process'
import type { Prepared } from './prepared'
import type { Jar, Progress } from './progress'
import { type Facts, outcomeOf, Referee, type Violation } from './referee'
import { type Actor, epoch, type Fault, hostTimeout, seconds, theAssertion, theKey } from './scenario'

/** A call that its process no longer waits for, and that the store may still apply. */
interface LateCall {
  call: StoreCall
  sentAt: number
  by: string
  /** Which of the actor's requests sent it: it may be over. */
  request: number
}

/** One thing that can happen next. */
export type Choice =
  | { kind: 'begin' | 'respond' | 'lose response'; actor: number }
  | { kind: 'answer' | 'lose answer' | 'keep silent' | 'break' | 'break late'; process: string; open: OpenCall }
  | { kind: 'apply late'; late: LateCall }
  | { kind: 'kill'; process: string }
  | { kind: 'failover'; lost: number }
  | { kind: 'time'; duration: number }
  | { kind: 'clock'; shift: number }

const writes = new Set<string>([
  'createGrant',
  'swapCredential',
  'reverseSwap',
  'deleteGrant',
  'deleteGrants',
  'beginImport',
  'finishImport',
  'dropImport',
  'useOnce',
])
const nothing: readonly LateCall[] = []

/** The state of everything: the store, the processes, the clients, the clocks. */
export class World {
  readonly prepared: Prepared
  store: ExploredStore
  processes: ReadonlyMap<string, HostProcess>
  progress: readonly Progress[]
  jars: ReadonlyMap<string, Jar>
  late = nothing
  /** The calls that the store has applied and never answers, although their processes wait. */
  unanswered: readonly (OpenCall & { process: string })[] = []
  now = 0
  clockShift = 0
  faults: readonly Fault[] = []
  passes = 0
  facts: Facts
  violation: Violation | undefined
  readonly #referee: Referee

  private constructor(
    from: World | undefined,
    prepared: Prepared,
    store: ExploredStore,
    processes: ReadonlyMap<string, HostProcess>,
  ) {
    this.prepared = prepared
    this.store = store
    this.processes = processes
    this.#referee = new Referee(this)
    const { scenario, tokens, codes } = prepared
    this.progress =
      from?.progress ?? scenario.actors.map(() => ({ requests: 0, beganAfterEnd: false, unavailable: [] }))
    this.jars = from?.jars ?? new Map()
    this.facts = from?.facts ?? this.#referee.atBeginning()
    if (from) {
      this.late = from.late
      this.unanswered = from.unanswered
      this.now = from.now
      this.clockShift = from.clockShift
      this.faults = from.faults
      this.passes = from.passes
      return
    }
    const jars = new Map<string, Jar>()
    for (const { jar, isHonest = false, holds = scenario.before.length, does } of scenario.actors) {
      const token = does === 'mint' ? theAssertion : ((does === 'sign in again' ? codes[1] : tokens[holds]) as string)
      if (!jars.has(jar)) jars.set(jar, { token, isHonest, isSignedOut: false })
    }
    this.jars = jars
  }

  /** The beginning of a scenario. */
  static async begin(prepared: Prepared): Promise<World> {
    const { store, now } = await prepared.begin()
    const names = new Set(prepared.scenario.actors.flatMap(({ at }) => at))
    const processes = new Map<string, HostProcess>()
    for (const name of names) processes.set(name, await HostProcess.start(prepared, name, now, epoch + now))
    const world = new World(undefined, prepared, store, processes)
    world.now = now
    return world
  }

  get storeNow(): number {
    return epoch + this.now + this.clockShift
  }

  get hasClockBeenSet(): boolean {
    return this.clockShift !== 0
  }

  grants(): Grant[] {
    return this.store.contents.filter(({ expiresAt }) => this.storeNow < expiresAt)
  }

  /** What can happen next. */
  choices(): Choice[] {
    const choices: Choice[] = []
    if (this.violation?.isEnd) return choices
    const { actors, faults, maxFaults, passes, clock } = this.prepared.scenario
    const canHappen = (fault: Fault) => this.faults.length < maxFaults && faults.includes(fault)
    for (let actor = 0; actor < actors.length; actor++) {
      if (this.progress[actor]?.response) choices.push({ kind: 'respond', actor }, { kind: 'lose response', actor })
      else if (this.#canBegin(actor) && !this.#isTurnOfEqual(actor)) choices.push({ kind: 'begin', actor })
    }
    for (const [process, { reaction }] of this.processes) {
      for (const open of reaction.open) {
        if (this.#isUnanswered(process, open)) continue
        choices.push({ kind: 'answer', process, open })
        if (open.call === 'sign') {
          if (canHappen('signer')) choices.push({ kind: 'break', process, open })
          continue
        }
        const isWrite = writes.has(open.call.method)
        if (canHappen('answer')) choices.push({ kind: isWrite ? 'lose answer' : 'break', process, open })
        if (canHappen('silence')) choices.push({ kind: 'keep silent', process, open })
        if (isWrite && canHappen('late')) choices.push({ kind: 'break late', process, open })
      }
      if (canHappen('kill') && !process.endsWith("'")) choices.push({ kind: 'kill', process })
    }
    for (const late of this.late) choices.push({ kind: 'apply late', late })
    if (canHappen('failover')) {
      for (let lost = 1; lost <= this.store.earlier.length; lost++) choices.push({ kind: 'failover', lost })
    }
    const duration = passes[this.passes]
    if (duration !== undefined) choices.push({ kind: 'time', duration })
    if (!this.hasClockBeenSet) for (const shift of clock) choices.push({ kind: 'clock', shift })
    return choices
  }

  /** What the world is after one of its choices. */
  async after(choice: Choice): Promise<World> {
    const next = new World(this, this.prepared, this.store, this.processes)
    await next.#take(choice)
    // A call that is too late does nothing any more. If the store applies it nevertheless, it does so now.
    for (const late of next.late) if (next.#isOver(late)) await next.#applyLate(late)
    return next
  }

  /** Whether nobody waits for anything, and nobody will ask again. */
  get isQuiet(): boolean {
    return this.progress.every(({ at, response }, actor) => !at && !response && !this.#canBegin(actor))
  }

  /** Names the state: two worlds with one name have the same future. */
  key(): string {
    const { maxFaults, faults } = this.prepared.scenario
    const canLose = this.faults.length < maxFaults && faults.includes('failover')
    const state = [
      this.now,
      this.clockShift,
      this.faults.length,
      [...new Set(this.faults)].sort().join(),
      contentsKey(this.store),
      canLose && this.store.earlier.map(contentsKey),
      [...this.jars.values()],
      this.progress,
      [...this.processes.values()].map(({ state }) => state),
      this.late.map((late) => JSON.stringify(late)).sort(),
      this.unanswered.map(({ process, call, by }) => JSON.stringify([process, call, by])).sort(),
      this.facts,
    ]
    return hash('sha1', JSON.stringify(state), 'base64').slice(0, 20)
  }

  /**
   * Looks at the end, when nobody waits for anything: a process that knows nothing redeems the honest client's token, and if the grant has
   * ended, each token that somebody has.
   */
  async judgeEnd(): Promise<void> {
    this.#referee.atVeryEnd()
    for (const jar of this.jars.values()) {
      if (jar.isHonest || (this.facts.isEnded && this.prepared.tokens.includes(jar.token))) await this.#judgeToken(jar)
    }
  }

  async #judgeToken(jar: Jar): Promise<void> {
    let { store } = this
    let process = await HostProcess.start(this.prepared, 'last', this.now, this.storeNow)
    const key = this.prepared.scenario.keyFrom === undefined ? undefined : theKey
    const request = { happens: 'request', at: this.now, by: 'last', does: 'redeem', token: jar.token, key } as const
    process = await process.after(request)
    for (let open = process.reaction.open[0]; open; open = process.reaction.open[0]) {
      const applied =
        open.call === 'sign' ? { result: undefined, store } : await store.apply(open.call, this.storeNow, this.storeNow)
      store = applied.store
      process = await process.after({ happens: 'answer', at: this.now, call: open.number, result: applied.result })
    }
    const [{ outcome } = { outcome: { kind: 'lost' } as Outcome }] = process.reaction.outcomes
    this.#referee.atEnd(jar, outcome)
  }

  #canBegin(actor: number): boolean {
    const { jar, at } = this.prepared.scenario.actors[actor] as Actor
    const { requests, at: where, response } = this.progress[actor] as Progress
    return where === undefined && !response && requests < at.length && !this.jars.get(jar)?.isSignedOut
  }

  /** Whether another actor, which differs by nothing but its name, has not begun either: of equal ones the first begins first. */
  #isTurnOfEqual(actor: number): boolean {
    const before = this.prepared.equals[actor]
    return before !== undefined && this.progress[before]?.requests === 0
  }

  async #take(choice: Choice): Promise<void> {
    switch (choice.kind) {
      case 'begin':
        return this.#begin(choice.actor)
      case 'respond':
        return this.#receive(choice.actor, this.progress[choice.actor]?.response as Outcome)
      case 'lose response':
        this.#happens('response')
        return this.#receive(choice.actor, { kind: 'lost' })
      case 'answer': {
        const result = await this.#applyOpen(choice.open)
        return this.#tell(choice.process, { happens: 'answer', at: this.now, call: choice.open.number, result })
      }
      case 'lose answer':
        this.#happens('answer')
        await this.#applyOpen(choice.open)
        return this.#tell(choice.process, { happens: 'failure', at: this.now, call: choice.open.number })
      case 'keep silent':
        this.#happens('silence')
        await this.#applyOpen(choice.open)
        this.unanswered = [...this.unanswered, { ...choice.open, process: choice.process }]
        return
      case 'break':
        this.#happens(choice.open.call === 'sign' ? 'signer' : 'answer')
        return this.#tell(choice.process, { happens: 'failure', at: this.now, call: choice.open.number })
      case 'break late':
        this.#happens('late')
        this.#keepLate(choice.process, [choice.open])
        return this.#tell(choice.process, { happens: 'failure', at: this.now, call: choice.open.number })
      case 'apply late':
        return this.#applyLate(choice.late)
      case 'kill':
        return this.#kill(choice.process)
      case 'failover':
        this.#happens('failover')
        this.store = this.store.earlier[choice.lost - 1] as ExploredStore
        return
      case 'time':
        return this.#pass(choice.duration * seconds)
      case 'clock':
        this.clockShift = choice.shift * seconds
        for (const name of this.processes.keys()) await this.#tell(name, { happens: 'clock', at: this.now })
    }
  }

  async #begin(number: number): Promise<void> {
    const actor = this.prepared.scenario.actors[number] as Actor
    const { requests } = this.progress[number] as Progress
    const token = this.jars.get(actor.jar)?.token as string
    const named = actor.at[requests] as string
    const at = this.processes.has(named) ? named : `${named}'`
    const begun = {
      requests: requests + 1,
      at,
      presents: token,
      beganAfterEnd: actor.does === 'mint' ? this.facts.isCustomerEnded : this.facts.isEnded,
      age: this.#referee.ageOf(token),
    }
    this.#setProgress(number, { ...(this.progress[number] as Progress), ...begun })
    this.#referee.begins(actor)
    const { name: by, does, key } = actor
    await this.#tell(at, { happens: 'request', at: this.now, by, does, token, key })
  }

  async #apply({ call, sentAt }: Pick<OpenCall, 'call' | 'sentAt'>): Promise<unknown> {
    if (call === 'sign') return undefined
    const { result, store } = await this.store.apply(call, this.storeNow, this.storeNow - this.now + sentAt)
    this.store = store
    this.#referee.applied(call, result)
    return result
  }

  /** Its process may no longer wait for it. */
  async #applyOpen({ call, by, sentAt }: OpenCall): Promise<unknown> {
    const result = await this.#apply({ call, sentAt })
    const { requests, at } = this.#progressOf(by) ?? { requests: 0 }
    this.#note({ call, by, request: requests }, result)
    if (call !== 'sign' && !at)
      this.#referee.appliedLate(call, result, sentAt + hostTimeout, this.#isUnavailable({ by, request: requests }))
    return result
  }

  async #applyLate(late: LateCall): Promise<void> {
    this.late = this.late.filter((other) => other !== late)
    const result = await this.#apply(late)
    this.#note(late, result)
    this.#referee.appliedLate(late.call, result, late.sentAt + hostTimeout, this.#isUnavailable(late))
  }

  /** Notes that the store has applied a swap of a request that is not decided yet. */
  #note({ call, by, request }: Pick<OpenCall, 'call' | 'by'> & { request: number }, result: unknown): void {
    const number = this.#numberOf(by)
    const progress = this.progress[number]
    const isSwapped = call !== 'sign' && call.method === 'swapCredential' && outcomeOf(result) === 'swapped'
    if (isSwapped && progress?.at && progress.requests === request)
      this.#setProgress(number, { ...progress, hasSwapped: true })
  }

  /** Something happens to a process, and it reacts. */
  async #tell(name: string, input: Input): Promise<void> {
    const process = this.processes.get(name) as HostProcess
    const after = await process.after(input)
    this.processes = new Map(this.processes).set(name, after)
    const { givenUp, outcomes, events } = after.reaction
    for (const event of events) this.#referee.heard(event)
    for (const { by, outcome } of outcomes) this.#finish(by, outcome)
    this.#keepLate(name, givenUp)
    const isOpen = (number: number) => after.reaction.open.some((open) => open.number === number)
    this.unanswered = this.unanswered.filter(({ process, number }) => process !== name || isOpen(number))
  }

  #isUnanswered(process: string, { number }: OpenCall): boolean {
    return this.unanswered.some((other) => other.process === process && other.number === number)
  }

  #finish(by: string, outcome: Outcome): void {
    const { actors, faults, maxFaults } = this.prepared.scenario
    const number = this.#numberOf(by)
    const actor = actors[number] as Actor
    const before = this.progress[number] as Progress
    this.#referee.decided(actor, before, outcome)
    const canBeLost = outcome.kind === 'tokens' && this.faults.length < maxFaults && faults.includes('response')
    if (canBeLost) this.#setProgress(number, { ...idle(before), response: outcome })
    else this.#receive(number, outcome)
  }

  #receive(number: number, outcome: Outcome): void {
    const { jar: name, does } = this.prepared.scenario.actors[number] as Actor
    const progress = this.progress[number] as Progress
    const { requests, unavailable } = progress
    const isUnavailable = outcome.kind === 'unavailable'
    this.#setProgress(number, { ...idle(progress), ...(isUnavailable && { unavailable: [...unavailable, requests] }) })
    const jar = this.jars.get(name) as Jar
    if (outcome.kind === 'tokens') this.#setJar(name, { ...jar, token: outcome.token })
    if (outcome.kind === 'refused' && does === 'redeem') this.#setJar(name, { ...jar, isSignedOut: true })
  }

  async #kill(name: string): Promise<void> {
    this.#happens('kill')
    const killed = this.processes.get(name) as HostProcess
    this.#keepLate(name, killed.reaction.open)
    this.unanswered = this.unanswered.filter(({ process }) => process !== name)
    const processes = new Map(this.processes)
    processes.delete(name)
    processes.set(`${name}'`, await HostProcess.start(this.prepared, `${name}'`, this.now, undefined))
    this.processes = processes
    for (const [actor, { at }] of this.progress.entries()) if (at === name) this.#receive(actor, { kind: 'lost' })
  }

  async #pass(duration: number): Promise<void> {
    this.passes++
    const at = this.now
    this.now += duration
    for (const name of this.processes.keys()) await this.#tell(name, { happens: 'time', at, duration })
  }

  #happens(fault: Fault): void {
    this.faults = [...this.faults, fault]
  }

  #setProgress(number: number, progress: Progress): void {
    this.progress = this.progress.with(number, progress)
  }

  #setJar(name: string, jar: Jar): void {
    this.jars = new Map(this.jars).set(name, jar)
  }

  #keepLate(process: string, calls: readonly OpenCall[]): void {
    for (const open of calls) {
      const { call, by, sentAt } = open
      if (call === 'sign' || !writes.has(call.method) || this.#isUnanswered(process, open)) continue
      const request = this.#progressOf(by)?.requests ?? 0
      this.late = [...this.late, { call, by, sentAt, request }]
    }
  }

  #isUnavailable({ by, request }: Pick<LateCall, 'by' | 'request'>): boolean {
    return this.#progressOf(by)?.unavailable.includes(request) === true
  }

  #progressOf(by: string): Progress | undefined {
    return this.progress[this.#numberOf(by)]
  }

  #numberOf(by: string): number {
    return this.prepared.scenario.actors.findIndex(({ name }) => name === by)
  }

  /** Whether a call is too late for the store, even if its clock is still set back. */
  #isOver({ call }: LateCall): boolean {
    const { deadline } = call.args[0] as { deadline?: number }
    const back = this.hasClockBeenSet ? 0 : Math.min(0, ...this.prepared.scenario.clock)
    return deadline !== undefined && deadline <= this.storeNow + back * seconds
  }
}

function idle({ requests, unavailable }: Progress): Progress {
  return { requests, unavailable, beganAfterEnd: false }
}

const keys = new WeakMap<Grant, string>()

/** JSON of the contents. Each grant is written once, however many stores have it. */
function contentsKey({ contents, parts, notes = '' }: ExploredStore): string {
  if (parts) return parts.map(contentsKey).join('\n\n')
  return contents.map(grantKey).concat(notes).join('\n')
}

function grantKey(grant: Grant): string {
  const known = keys.get(grant)
  if (known !== undefined) return known
  const key = JSON.stringify(grant)
  keys.set(grant, key)
  return key
}
