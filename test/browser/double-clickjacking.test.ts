import { EventEmitter, once } from 'node:events'
import { MemoryTenantStore } from 'customer-sign-in'
import { Authorization } from '../support/authorization'
import { newBrowser } from '../support/browser'
import { Display, describeWithDisplay } from '../support/display'
import { registered } from '../support/registration'
import { started } from '../support/started'
import { companies, middleOf, site } from '../support/visit'

/** The inside of the browser's window: where it is on the screen, and its size. */
interface Inside {
  x: number
  y: number
  width: number
  height: number
}

interface AttackOptions {
  /** What the attacker's page opens: a tab in front of itself, or a window that leaves a part of it in view. */
  opens?: 'tab' | 'window'
  /** More arguments of the browser. */
  flags?: readonly string[]
}

const firstPage = (opens: 'tab' | 'window') => `<script>
const [x, y] = [screenX + (outerWidth - innerWidth) / 2, screenY + outerHeight - innerHeight]
fetch('/opened?' + new URLSearchParams({ x, y, width: innerWidth, height: innerHeight }))
onclick = ({ screenX, screenY }) =>
  open('/second', '', ${opens === 'window'} ? \`popup,width=400,height=400,left=\${screenX - 200},top=\${screenY - 200}\` : '')
</script>`

const secondPage = (consent: string) => `<script>
opener.location = ${JSON.stringify(consent)}
onmousedown = onkeydown = () => close()
const waiting = setInterval(() => {
  try { opener.document } catch { clearInterval(waiting); fetch('/prepared') }
}, 20)
</script>`

/**
 * A stranger's page, in the browser of a customer who is signed in. It opens another page. That one sends its opener to the consent page,
 * and closes itself as soon as a mouse button or a key is down. The attacker knows where Allow will be, and lures the mouse there.
 */
class Attack {
  readonly codes: string[] = []
  readonly #seen = new EventEmitter()
  readonly #display: Display

  private constructor(display: Display) {
    this.#display = display
  }

  /** Prepares the attack until the consent page is ready behind the page that is going to vanish. */
  static async prepared({ opens = 'tab', flags = [] }: AttackOptions = {}): Promise<Attack> {
    const attack = new Attack(await Display.open())
    const seen = attack.#seen
    const host = await started({
      tenantStore: new MemoryTenantStore(companies),
      authenticate: () => ({ subject: 'customer-1', name: 'Ada Lovelace' }),
    })
    const { origin } = await site((app) => {
      app.get('/', (_req, res) => res.send(firstPage(opens)))
      app.get('/second', (_req, res) => res.send(secondPage(consent)))
      app.get('/callback', ({ query }, res) => {
        attack.codes.push(String(query.code))
        res.send('Got it')
      })
      app.use(({ path, query }, res) => {
        seen.emit(path, query)
        res.end()
      })
    })
    // On another site than the host.
    const elsewhere = origin.replace('127.0.0.1', 'localhost')
    const redirect_uri = `${elsewhere}/callback`
    const client_id = await registered(host, { client_name: 'Free Games', redirect_uris: [redirect_uri] })
    const consent = host.url + new Authorization(host, { client_id, redirect_uri }).path

    const [opened, prepared] = [once(seen, '/opened'), once(seen, '/prepared')]
    attack.#display.browse(elsewhere, flags)
    const { x, y } = await placeOfAllow(consent, numbersOf((await opened)[0]))
    await attack.input('mousemove', x, y, 'click', 1)
    await prepared
    return attack
  }

  /** What the customer does, in commands of `xdotool`. */
  input(...commands: (string | number)[]): Promise<void> {
    return this.#display.input(...commands)
  }

  /** Clicks where the mouse is, this many seconds apart. */
  click(times: number, seconds: number): Promise<void> {
    return this.input(...Array.from({ length: times }, () => ['click', 1, 'sleep', seconds]).flat())
  }

  /** Fails if a button was pressed: by now its page would have been answered. Then checks that Allow still works. */
  async expectNothing(press = ['click', '1']): Promise<void> {
    await this.input('sleep', 1.2)
    expect(this.codes).toEqual([])
    await this.input(...press, 'sleep', 1)
    expect(this.codes).toHaveLength(1)
  }
}

function numbersOf(values: Record<string, string>): Inside {
  const { x, y, width, height } = values
  return { x: Number(x), y: Number(y), width: Number(width), height: Number(height) }
}

/** Where Allow is on the screen, in a window with this inside. */
async function placeOfAllow(url: string, { x, y, width, height }: Inside): Promise<{ x: number; y: number }> {
  const context = await newBrowser({ viewport: { width, height } })
  const page = await context.newPage()
  await page.goto(url)
  const middle = await middleOf(page.getByRole('button', { name: 'Allow' }))
  return { x: Math.round(x + middle.x), y: Math.round(y + middle.y) }
}

describeWithDisplay('a stranger’s page that vanishes from above the consent page', () => {
  it.each([0.06, 0.15, 0.3, 0.45])('presses nothing with a double click of %s seconds', async (seconds) => {
    const attack = await Attack.prepared()
    await attack.click(2, seconds)
    await attack.expectNothing()
  })

  it.each([
    [12, 0.15],
    [8, 0.4],
  ])('presses nothing with a game of %s clicks, each %s seconds after the last', async (times, seconds) => {
    const attack = await Attack.prepared()
    await attack.click(times, seconds)
    await attack.expectNothing()
  })

  it.each([
    ['wants less motion', '--force-prefers-reduced-motion'],
    ['wants colors of their own', '--force-high-contrast'],
  ])('presses nothing for a customer who %s', async (_, flag) => {
    const attack = await Attack.prepared({ flags: [flag] })
    await attack.click(5, 0.2)
    await attack.expectNothing()
  })

  it('presses nothing, even if the consent page was in view behind it for a long time', async () => {
    const attack = await Attack.prepared({ opens: 'window' })
    await attack.input('sleep', 1.5)
    await attack.click(5, 0.2)
    await attack.expectNothing()
  })

  it('presses nothing with keys that the customer meant for it', async () => {
    const attack = await Attack.prepared()
    const keys = ['key', 'Tab', 'key', 'Tab', 'key', 'Return']
    await attack.input('sleep', 1.5, 'key', 'Return', 'sleep', 0.1, ...keys)
    // Tab may have moved the focus out of the page; a click brings it back.
    const inThePage = ['mousemove_relative', '--', '0', '-150', 'click', '1']
    await attack.expectNothing([...inThePage, 'key', 'Tab', 'sleep', '1', 'key', 'Tab', 'key', 'Return'])
  })

  it('presses nothing with keys that reach the buttons backwards, from the end of the page', async () => {
    const attack = await Attack.prepared()
    await attack.input('sleep', 1.5, 'key', 'Return', 'sleep', 0.3, 'key', 'shift+Tab', 'key', 'Return')
    const inThePage = ['mousemove_relative', '--', '0', '-150', 'click', '1']
    await attack.expectNothing([...inThePage, 'key', 'Tab', 'sleep', '1', 'key', 'Tab', 'key', 'Return'])
  })
})
