import { EventEmitter, once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CustomerSignInOptions, MemoryTenantStore } from 'customer-sign-in'
import express, { type Express } from 'express'
import { Authorization } from '../../../support/authorization'
import { newBrowser } from '../../../support/browser'
import { Display } from '../../../support/display'
import { testSignIn } from '../../../support/host-app'
import { registered } from '../../../support/registration'
import { companies, middleOf, site } from '../../../support/visit'

/** A stranger's page that gets a customer to press mouse buttons and keys. Its scripts know `consent`, the address of the consent page. */
export interface Lure {
  /** Runs in the stranger's first page. */
  first: string
  /** Runs in another page of the stranger, at `/bait`. */
  bait?: string
}

export interface StageOptions {
  /** More arguments of the browser. */
  flags?: readonly string[]
  /** Options of the host. */
  host?: Partial<CustomerSignInOptions>
  /** A header that something in front of the host removes. */
  withoutHeader?: string | undefined
}

// What a page of the stranger can do: tell the test something, and wait until the page that opened it is on another site.
const shared = `
const tell = (name, values) => fetch('/seen/' + name + '?' + new URLSearchParams(values), { keepalive: true })
const whenOpenerIsGone = (then) => {
  const waiting = setInterval(() => {
    try { opener.document } catch { clearInterval(waiting); then() }
  }, 20)
}
`

const firstPage = (script: string) => `<script>${shared}
onmousemove = ({ screenX, clientX, screenY, clientY }) => {
  onmousemove = null
  tell('inside', { x: screenX - clientX, y: screenY - clientY, width: innerWidth, height: innerHeight })
}
${script}
tell('begun')</script>`

/**
 * The browser of a customer who is signed in, with a stranger's page in it. The stranger is a client that has registered itself, and knows
 * where Allow will be.
 */
export class Stage {
  /** The value of `Sec-Purpose` in each request for the consent page: what a browser fetches ahead of time says so. */
  readonly purposes: unknown[] = []
  readonly #display: Display
  readonly #seen = new EventEmitter()
  #consent = ''
  /** How the consent page was answered: `code` or `error`. */
  #answers: string[] = []
  /** When mouse buttons and keys were pressed. */
  #presses: number[] = []

  private constructor(display: Display) {
    this.#display = display
  }

  static async open(
    { first, bait = '' }: Lure,
    { flags = [], host = {}, withoutHeader }: StageOptions = {},
  ): Promise<Stage> {
    const stage = new Stage(await Display.open())
    const known = (script: string) => `const consent = ${JSON.stringify(stage.#consent)}\n${script}`
    const { origin } = await site((app) => {
      app.get('/', (_req, res) => res.send(firstPage(known(first))))
      app.get('/bait', (_req, res) => res.send(`<script>${shared}${known(bait)}</script>`))
      app.get('/callback', ({ query }, res) => {
        stage.#answers.push(query.code === undefined ? 'error' : 'code')
        res.redirect('/')
      })
      app.use('/seen', ({ path, query }, res) => {
        stage.#seen.emit(path.slice(1), query)
        res.end()
      })
      app.use((_req, res) => res.status(404).end())
    })
    // On another site than the host.
    const elsewhere = origin.replace('127.0.0.1', 'localhost')
    stage.#consent = await stage.#startHost(`${elsewhere}/callback`, host, withoutHeader)
    const begun = stage.until('begun')
    stage.#display.browse(elsewhere, flags)
    await begun
    await stage.#findAllow()
    return stage
  }

  /** @returns The address of the consent page. */
  async #startHost(redirect_uri: string, options: Partial<CustomerSignInOptions>, withoutHeader = ''): Promise<string> {
    let routes: Express = express()
    const host = await site((app) => {
      routes = app
    })
    routes.use('/v1/:tenant/oauth/authorize', ({ headers }, res, next) => {
      this.purposes.push(headers['sec-purpose'])
      removeHeader(res, withoutHeader)
      next()
    })
    const authenticate = () => ({ subject: 'customer-1', name: 'Ada Lovelace' })
    const tenantStore = new MemoryTenantStore(companies)
    routes.use(testSignIn({ baseUrl: host.origin, tenantStore, authenticate, ...options }))
    const at = { url: host.origin }
    const client_id = await registered(at, { client_name: 'Free Games', redirect_uris: [redirect_uri] })
    return host.origin + new Authorization(at, { client_id, redirect_uri }).path
  }

  /** Moves the mouse to where Allow will be, in a window with an inside of the same size. */
  async #findAllow(): Promise<void> {
    const inside = this.until('inside')
    // The window may not be there yet.
    let place = 400
    const moving = setInterval(() => this.#display.do('mousemove', place++, 400), 100)
    const { x, y, width, height } = await inside.finally(() => clearInterval(moving))
    const context = await newBrowser({ viewport: { width: Number(width), height: Number(height) } })
    const page = await context.newPage()
    await page.goto(this.#consent)
    const middle = await middleOf(page.getByRole('button', { name: 'Allow' }))
    await context.close()
    this.#display.do('mousemove', Math.round(Number(x) + middle.x), Math.round(Number(y) + middle.y))
  }

  /** Waits until a page of the stranger tells this. */
  async until(what: string): Promise<Record<string, string>> {
    const waiting = once(this.#seen, what, { signal: AbortSignal.timeout(20_000) })
    const [values] = await waiting.catch((cause) => {
      throw new Error(`The stranger's page has not told "${what}"`, { cause })
    })
    return values
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

  click(): void {
    this.#presses.push(performance.now())
    this.#display.do('click', 1)
  }

  key(name: string): void {
    this.#presses.push(performance.now())
    this.#display.do('key', name)
  }

  /**
   * Waits until any press must have been answered.
   *
   * @returns `robbed` if the stranger has got a code by presses that all came less than 0.7 s after each other, and `asked` if the page is
   * still there.
   */
  async outcome(): Promise<'robbed' | 'asked' | 'answered'> {
    await sleep(1200)
    const [answers, presses] = [this.#answers, this.#presses]
    this.forget()
    if (answers.length === 0) return 'asked'
    const isFast = presses.slice(1).every((press, index) => press - (presses[index] ?? 0) < 700)
    return isFast && answers.includes('code') ? 'robbed' : 'answered'
  }

  /** Forgets earlier presses and codes. */
  forget(): void {
    this.#answers = []
    this.#presses = []
  }

  /** Allows the request like a customer who means it. The browser then returns to the stranger's first page. */
  async allow(): Promise<void> {
    const begun = this.until('begun')
    this.#display.do('mousemove_relative', 1, 0)
    this.click()
    // On a busy machine, the page can need longer than a customer waits. They press again.
    const again = setInterval(() => this.click(), 2000)
    await begun.finally(() => clearInterval(again))
    expect(this.#answers).toContain('code')
    this.forget()
  }
}

/** Removes a header of a response, as a proxy may do. */
function removeHeader(res: ServerResponse, name: string): void {
  const writeHead = res.writeHead.bind(res)
  res.writeHead = ((status: number, headers: OutgoingHttpHeaders = {}) => {
    const kept = Object.entries(headers).filter(([key]) => key !== name)
    return writeHead(status, Object.fromEntries(kept))
  }) as ServerResponse['writeHead']
}
