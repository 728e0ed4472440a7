import { EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BrowseOptions, Display } from '../../../support/display'
import type { Engine } from '../../../support/engines'
import { GamesHost, type HostOptions } from './host'
import { type Lure, Stranger, type Values } from './stranger'

export interface Point {
  x: number
  y: number
}

/** The inside of a window, in pixels of the screen. */
export interface Inside extends Point {
  width: number
  height: number
}

export interface StageOptions extends HostOptions, BrowseOptions {
  engine: Engine
}

/** How a game ended. */
export interface Outcome {
  /**
   * `robbed` if the stranger has got a code by presses that all came less than 0.7 s after each other, and after Allow came under the pointer.
   * `void` if a picture of the stranger's page took too long to say, or if the form came so late that the browser may have seen the press later
   * than that.
   */
  verdict: 'robbed' | 'kept' | 'void'
  /** Whether the customer has answered. If not, the page is still there. */
  isAnswered: boolean
}

/** What happened, and when by the clock of the server. */
interface Happening {
  what: string
  at: number
}

/** What a rehearsal does in the consent page. */
interface Rehearsal {
  /** What the stranger's first page does with the address of the consent page. */
  open: string
  /** What the consent page does before it tells where Allow is. */
  before?: string | undefined
  /** What the customer does then. The page tells again where Allow is once that has changed its size, or has led to the second page. */
  act?: ((place: Place) => Promise<void> | void) | undefined
  /** Whether that zooms. */
  zooms?: boolean | undefined
  /** What the consent page does at the end. */
  after?: string
}

/** Where Allow is, in pixels from the corner of the inside of its window, and where its form leads. */
export interface Place extends Point {
  action: string
  /** The names in the page that an address can lead to, from the top to the bottom. */
  names: string[]
}

/** A script that finds the button that a customer sees as Allow. */
export const findButton = `
const shown = (value) => [...document.querySelectorAll('button[value=' + value + ']')].find((each) => each.checkVisibility())
const button = shown('allow') ?? shown('confirm')
`

/**
 * The browser of a customer who is signed in, with a stranger's page in it. The stranger is a client that has registered itself, and knows
 * where Allow will be.
 */
export class Stage {
  readonly engine: Engine
  readonly #display: Display
  readonly #seen = new EventEmitter()
  #stranger!: Stranger
  #host!: GamesHost
  #main: Inside = { x: 0, y: 0, width: 0, height: 0 }
  #happenings: Happening[] = []

  private constructor(engine: Engine, display: Display) {
    this.engine = engine
    this.#display = display
  }

  static async open(lure: Lure, { engine, customer, trusted, ...options }: StageOptions): Promise<Stage> {
    const stage = new Stage(engine, await Display.open())
    const happened = (what: string, values?: Values) => stage.#happened(what, values)
    stage.#stranger = await Stranger.start(lure, () => stage.#host.consent)
    stage.#stranger.onTold = happened
    stage.#host = await GamesHost.start(`${stage.#stranger.origin}/callback`, options, happened)
    const begun = stage.until('begun')
    stage.#display.browse(engine, stage.#stranger.origin, { customer, trusted })
    await begun
    stage.#main = await stage.inside('inside', { x: 400, y: 400 })
    return stage
  }

  get host(): GamesHost {
    return this.#host
  }

  /** The inside of the window of the stranger's first page. */
  get main(): Inside {
    return this.#main
  }

  /** Waits until this happens, or until a page tells it. The limit is for a browser that hangs. */
  async until(what: string, milliseconds = 60_000): Promise<Values> {
    const waiting = once(this.#seen, what, { signal: AbortSignal.timeout(milliseconds) })
    const [values] = await waiting.catch((cause) => {
      throw new Error(`This has not happened: ${what}`, { cause })
    })
    return values
  }

  /** Has the stranger's first page run a script, now. */
  order(script: string): void {
    this.#stranger.order(script)
  }

  /** Moves the mouse to where Allow will be in the window of the stranger's first page. */
  async pointAtAllow(): Promise<Point> {
    const begun = this.until('begun')
    const { x, y } = await this.rehearse({
      open: 'location =',
      after: `location = ${JSON.stringify(this.#stranger.origin)}`,
    })
    await begun
    const point = { x: this.#main.x + x, y: this.#main.y + y }
    this.move(point)
    return point
  }

  /** Finds out where Allow will be, as the stranger does in a browser of their own: the page has a script that tells it. */
  async rehearse({ open, before = '', act, zooms = false, after = '' }: Rehearsal): Promise<Place> {
    const told = this.until('place')
    this.host.script = `${this.tellScript}
${findButton}
const width = innerWidth
const tellPlace = () => requestAnimationFrame(() => requestAnimationFrame(() => {
  const scale = ${zooms} ? width / innerWidth : 1
  const { x, y, width: across, height } = button.getBoundingClientRect()
  const names = [...document.querySelectorAll('[id]')].map(({ id }) => id).join(' ')
  tell('place', { x: (x + across / 2) * scale, y: (y + height / 2) * scale, action: button.form.action, names })
  ${after}
}))
onresize = tellPlace
setTimeout(() => { ${before}; tellPlace() }, 100)`
    this.order(`${open} consent`)
    let place = placeOf(await told)
    if (act) {
      const again = this.until('place')
      await act(place)
      place = placeOf(await again)
    }
    this.host.script = ''
    return place
  }

  /** How a script in the consent page tells something. */
  get tellScript(): string {
    const address = JSON.stringify(`${this.#stranger.origin}/seen/`)
    return `const tell = (name, values) => fetch(${address} + name + '?' + new URLSearchParams(values), { mode: 'no-cors', keepalive: true })`
  }

  /** Opens a window of the stranger's, `w`, with a click, and waits until it says that it has the size that was asked for. */
  async popup({ x, y, width, height }: Inside): Promise<Inside> {
    const set = this.until('set')
    this.order(`onclick = () => {
  onclick = null
  w = open('/bait', '_blank', 'popup,left=${x},top=${y},width=${width},height=${height}')
}
tell('set')`)
    await set
    this.move({ x: this.#main.x + 20, y: this.#main.y + 20 })
    // A browser ignores what is pressed before a page is painted.
    await sleep(500)
    this.do('click', 1)
    const opened = await this.inside('inside-bait', { x: x + width / 2, y: y + height / 2 }, 300)
    this.expectSize(opened, { width, height })
    return opened
  }

  /** Fails unless a window has the size that a page asked for. */
  expectSize(opened: Inside, { width, height }: { width: number; height: number }): void {
    const { name } = this.engine
    // Chromium's are a pixel lower than asked for.
    const isRight = Math.abs(opened.width - width) <= 1 && Math.abs(opened.height - height) <= 1
    expect({ name, ...opened, isRight }).toEqual({ name, ...opened, isRight: true })
  }

  /** Where the inside of a page's window is. Moves the mouse to and fro until the page tells it: the window may not be there yet. */
  async inside(what: 'inside' | 'inside-bait', { x, y }: Point, after = 0): Promise<Inside> {
    const told = this.until(what)
    let step = 0
    const moving = setInterval(() => {
      if (++step * 100 > after) this.move({ x: x + (step % 20), y })
    }, 100)
    const values = await told.finally(() => clearInterval(moving))
    const [left, top, width, height] = [values.x, values.y, values.width, values.height].map(Number)
    return { x: left ?? 0, y: top ?? 0, width: width ?? 0, height: height ?? 0 }
  }

  /** Presses once, as the stranger's first page asks, and waits until the stranger is ready. */
  async ready(): Promise<void> {
    // A browser ignores what is pressed before a page is painted.
    await sleep(500)
    const ready = this.until('ready')
    this.click()
    await ready
    await sleep(1000)
    this.forget()
  }

  /** Turns the wheel of the mouse to the end of the page. */
  async scrollDown(): Promise<void> {
    this.do('click', '--repeat', 40, '--delay', 10, 5)
    await sleep(800)
  }

  move({ x, y }: Point): void {
    this.do('mousemove', Math.round(x), Math.round(y))
  }

  /** Moves the mouse as a hand that rests there, while something happens. A browser may not know what is under a mouse that never moves. */
  async resting<T>(happening: Promise<T>): Promise<T> {
    let step = 0
    const trembling = setInterval(() => this.do('mousemove_relative', '--', step++ % 2 ? -1 : 1, 0), 150)
    return happening.finally(() => clearInterval(trembling))
  }

  click(): void {
    this.#happened('press')
    this.do('click', 1)
  }

  key(name: string): void {
    this.#happened('press')
    this.do('key', name)
  }

  /** Uses the mouse or the keyboard with one command of `xdotool`, which is no press that could give a code. */
  do(...command: (string | number)[]): void {
    this.#display.do(...command)
  }

  /** Notes that Allow is about to come under the pointer. */
  moved(): void {
    this.#happened('moved')
  }

  /** Waits until any press must have been answered. */
  async outcome(): Promise<Outcome> {
    await sleep(1200)
    const happenings = this.#happenings
    this.forget()
    const code = happenings.findIndex(({ what }) => what === 'code')
    const before = code < 0 ? happenings : happenings.slice(0, code)
    const marks = before.filter(({ what }) => ['press', 'moved', 'shown'].includes(what))
    const posted = before.filter(({ what }) => what === 'posted').slice(-1)
    const isClear = code < 0 || !isFast(marks) || isFast([...marks.slice(0, -1), ...posted])
    const isSlow = before.some(({ what }) => what === 'slow')
    const isAnswered = happenings.some(({ what }) => what === 'code' || what === 'refused')
    // The answer may have led the window of the stranger's first page there again. In the next game it must be there.
    const isBack = happenings.some(({ what }) => what === 'begun')
    if (isAnswered && !isBack) await this.until('begun', 3000).catch(() => undefined)
    return { verdict: isSlow || !isClear ? 'void' : code >= 0 && isFast(marks) ? 'robbed' : 'kept', isAnswered }
  }

  /** Forgets what happened. */
  forget(): void {
    this.#happenings = []
  }

  /** Whether this has happened since the stage forgot. */
  has(what: string): boolean {
    return this.#happenings.some((happening) => happening.what === what)
  }

  /** Allows the request like a customer who means it. The browser then returns to the stranger's first page. */
  async allow(): Promise<void> {
    const begun = this.until('begun')
    // Whichever fails first says why.
    begun.catch(() => {})
    await this.pressUntil('code')
    await begun
    this.forget()
  }

  /** Rests where the mouse is, and presses until this happens. On a busy machine, the page can need longer than a customer waits. */
  async pressUntil(what: string): Promise<void> {
    const happened = this.until(what)
    await this.resting(sleep(1200))
    this.click()
    const again = setInterval(() => this.click(), 2000)
    await happened.finally(() => clearInterval(again))
  }

  #happened(what: string, values: Values = {}): void {
    this.#happenings.push({ what, at: performance.now() })
    this.#seen.emit(what, values)
  }
}

/** Whether each followed the one before in less than 0.7 s. */
function isFast(happenings: readonly Happening[]): boolean {
  return happenings.slice(1).every(({ at }, index) => at - (happenings[index]?.at ?? 0) < 700)
}

function placeOf({ x, y, action = '', names = '' }: Values): Place {
  return { x: Number(x), y: Number(y), action, names: names.split(' ').filter(Boolean) }
}
