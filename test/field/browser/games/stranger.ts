import type { Response } from 'express'
import { site } from '../../../support/visit'

/** A stranger's page that gets a customer to press mouse buttons and keys. Its scripts know `consent`, the address of the consent page. */
export interface Lure {
  /** Runs in the stranger's first page. */
  first?: string
  /** Runs in another page of the stranger, at `/bait`. */
  bait?: string
}

/** What a page tells along with a word. */
export type Values = Record<string, string>

// What a page of the stranger can do: tell the test something, and wait until the page that opened it is on another site. It also tells where
// it is, and each picture that took so long that nobody could say when the customer saw what.
const shared = `
const tell = (name, values) => fetch('/seen/' + name + '?' + new URLSearchParams(values), { keepalive: true })
const whenOpenerIsGone = (then) => {
  const waiting = setInterval(() => {
    try { opener.document } catch { clearInterval(waiting); then() }
  }, 20)
}
addEventListener('mousemove', ({ screenX, clientX, screenY, clientY }) => {
  const isBait = location.pathname === '/bait'
  tell(isBait ? 'inside-bait' : 'inside', { x: screenX - clientX, y: screenY - clientY, width: innerWidth, height: innerHeight })
}, { once: true })
let last
const frame = (now) => {
  if (now - last > 100) tell('slow', { frame: now - last })
  last = document.hidden ? undefined : now
  requestAnimationFrame(frame)
}
document.addEventListener('visibilitychange', () => { last = undefined })
requestAnimationFrame(frame)
`

// The first page also does what the test says, at the moment when the test says so.
const obedient = `
if (!opener) {
  const orders = new EventSource('/orders')
  // A browser ignores what is pressed before a page is painted.
  orders.onopen = () => requestAnimationFrame(() => requestAnimationFrame(() => tell('begun')))
  orders.onmessage = ({ data }) => eval(data)
}
`

/** The site of a stranger, on another site than the host, and what its pages tell. */
export class Stranger {
  origin = ''
  /** Told whenever a page of the stranger tells something. */
  onTold: (name: string, values: Values) => void = () => {}
  readonly #listeners = new Set<Response>()

  static async start({ first = '', bait = '' }: Lure, consent: () => string): Promise<Stranger> {
    const stranger = new Stranger()
    const page = (script: string) =>
      `<!doctype html><script>${shared}const consent = ${JSON.stringify(consent())}\n${script}</script>`
    const { origin } = await site((app) => {
      app.get('/', (_req, res) => res.send(page(`${first}\n${obedient}`)))
      app.get('/bait', (_req, res) => res.send(page(bait)))
      app.get('/callback', (_req, res) => res.redirect('/'))
      app.get('/orders', (_req, res) => stranger.#listen(res))
      app.use('/seen', ({ path, query }, res) => {
        stranger.onTold(path.slice(1), query as Values)
        res.end()
      })
      app.use((_req, res) => res.status(404).end())
    })
    stranger.origin = origin.replace('127.0.0.1', 'localhost')
    return stranger
  }

  /** Has the stranger's first page run a script, now. */
  order(script: string): void {
    for (const res of this.#listeners) res.write(`data: ${script.replaceAll('\n', '\ndata: ')}\n\n`)
  }

  #listen(res: Response): void {
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
    res.write(':\n\n')
    this.#listeners.add(res)
    res.once('close', () => this.#listeners.delete(res))
  }
}
