import { setTimeout as sleep } from 'node:timers/promises'
import { describeWithDisplay } from '../../../support/display'
import { ownConsentPage } from '../own-consent-page'
import { type Lure, Stage, type StageOptions } from './stage'

// `npm run games` plays more of each.
const rounds = Number(process.env.GAMES ?? 1)
const timeLimit = 60_000 + rounds * 30_000

/** Presses mouse buttons or keys, with this many milliseconds between two of them. */
type Presses = (stage: Stage, gap: number) => Promise<void>

interface Game extends Lure {
  /** What the customer presses once the stranger's page is ready. By default a double click. */
  presses?: Presses
}

// A browser takes a page for hidden if another window covers all of its window.
const openOverAll =
  'open("/bait", "", ["popup", "left=" + screenX, "top=" + screenY, "width=" + outerWidth, "height=" + outerHeight].join())'
const openOverPart =
  'open("/bait", "", ["popup", "left=" + (event.screenX - 200), "top=" + (event.screenY - 250), "width=400", "height=400"].join())'
const openTab = 'open("/bait")'
const onClick = (action: string) => `onclick = (event) => { ${action} }\n`
const onPress = (action: string) => `onmousedown = onkeydown = () => { ${action} }\n`
const prepareOpener = `
setTimeout(() => { opener.location = consent }, 20)
whenOpenerIsGone(() => tell('ready'))
`

const clicks =
  (times: number): Presses =>
  async (stage, gap) => {
    for (let done = 0; done < times; done++) {
      if (done > 0) await sleep(gap)
      stage.click()
    }
  }

const keys =
  (...names: string[]): Presses =>
  async (stage, gap) => {
    for (const [index, name] of names.entries()) {
      if (index > 0) await sleep(gap)
      stage.key(name)
    }
  }

const windowOverAll: Lure = { first: onClick(openOverAll), bait: prepareOpener + onPress('close()') }

const mouseGames: Record<string, Game> = {
  'a window over all of it that closes': windowOverAll,
  'a window over a part of it that closes': { first: onClick(openOverPart), bait: prepareOpener + onPress('close()') },
  'a tab in front of it that closes': { first: onClick(openTab), bait: prepareOpener + onPress('close()') },
  'a window over all of it, and many clicks': {
    ...windowOverAll,
    presses: clicks(8),
  },
  'a window over it that moves away': {
    first: onClick(openOverPart),
    bait: `${prepareOpener}${onPress('moveTo(0, 0); setTimeout(close, 900)')}`,
  },
  'a window over all of it that gives up the focus': {
    first: onClick(openOverAll),
    bait: `${prepareOpener}${onPress('opener.focus(); blur(); setTimeout(close, 900)')}`,
  },
  'a window over all of it that leaves the full screen': {
    first: onClick(openOverAll),
    bait: `${prepareOpener}
onclick = () => document.documentElement.requestFullscreen().then(() => {
  tell('full')
  ${onPress('document.exitFullscreen(); close()')}
})`,
    async presses(stage, gap) {
      const full = stage.until('full')
      stage.click()
      await full
      await sleep(1000)
      stage.forget()
      await clicks(2)(stage, gap)
    },
  },
  'a page that turns into it': {
    first: onClick('location = "/bait"'),
    bait: `tell('ready')\n${onPress('location = consent')}`,
  },
  'a page that goes back to it': {
    first: onClick('open("/bait?helper", "", "popup,left=0,top=0,width=100,height=100")'),
    bait: `
if (location.search) {
  setTimeout(() => { opener.location = consent }, 20)
  whenOpenerIsGone(() => setTimeout(() => {
    opener.location = location.origin + '/bait'
    close()
  }, 1500))
} else {
  tell('ready')
  ${onPress('history.back()')}
}`,
  },
}

const keyGames: Record<string, Game> = {
  'Tab, Tab and Enter behind a window that closes': {
    ...windowOverAll,
    presses: keys('Return', 'Tab', 'Tab', 'Return'),
  },
  'Shift+Tab and Enter behind a window that closes': {
    ...windowOverAll,
    presses: keys('Return', 'shift+Tab', 'Return'),
  },
}

// Where the Tab key begins if a browser heeds the text fragment: behind Deny, within Allow, or at the end of the page.
const fragments = [
  ['Deny', 'Tab'],
  ['Deny,Allow', 'shift+Tab'],
  ['Allow', 'shift+Tab'],
  ['End%20of%20the%20page', 'shift+Tab'],
].map(([text = '', key = '']) => ({ text, key }))

const fragmentGame = (text: string): Game => ({
  first: `onclick = () => { open(consent + '#:~:text=${text}', '_blank', 'noopener'); tell('ready') }`,
})

const ownPage = ownConsentPage()

/** Plays a game, with pauses of 80 to 600 ms. After each round, the customer must be able to press Allow. */
async function play(name: string, { presses = clicks(2), ...lure }: Game, options?: StageOptions): Promise<Stage> {
  const stage = await Stage.open(lure, options)
  const won: string[] = []
  for (let round = 0; round < rounds; round++) {
    const gap = 80 + Math.random() * 520
    await stage.ready()
    await presses(stage, gap)
    const outcome = await stage.outcome()
    if (outcome === 'robbed') won.push(`with pauses of ${Math.round(gap)} ms`)
    if (outcome === 'asked') await stage.allow()
  }
  if (process.env.GAMES) process.stderr.write(`${name}: ${won.length} codes in ${rounds} games\n`)
  expect(won).toEqual([])
  return stage
}

describeWithDisplay('nobody who is made to press something else presses Allow', () => {
  it.each(Object.entries(mouseGames))('behind %s', (name, game) => play(name, game), timeLimit)

  it.each(Object.entries(keyGames))('with %s', (name, game) => play(name, game), timeLimit)

  it.each([
    ['wants less motion', '--force-prefers-reduced-motion'],
    ['wants colors of their own', '--force-high-contrast'],
  ])('as a customer who %s', (name, flag) => play(name, windowOverAll, { flags: [flag] }), timeLimit)

  it('on the page that docs/pages.md shows', () => play('own page', windowOverAll, { host: ownPage() }), timeLimit)

  it(
    'behind a page that has it prepared ahead of time, because the browser opens it anew all the same',
    async () => {
      const stage = await play('prerender', {
        first: onClick('location = "/bait"'),
        bait: `
const rules = document.createElement('script')
rules.type = 'speculationrules'
rules.text = JSON.stringify({ prerender: [{ urls: [consent], eagerness: 'immediate' }] })
document.documentElement.append(rules)
tell('ready')
${onPress('location = consent')}`,
      })
      expect(stage.purposes).toContain('prefetch;prerender')
      expect(stage.purposes.at(-1)).toBeUndefined()
    },
    timeLimit,
  )

  it.each(fragments)(
    'with $key after an address with the text fragment $text',
    async ({ text, key }) => {
      for (const withoutHeader of [undefined, 'Document-Policy']) {
        const game = { ...fragmentGame(text), presses: keys(key, 'Return') }
        await play(`${key} after ${text}`, game, { withoutHeader })
      }
    },
    timeLimit,
  )
})
