import { setTimeout as sleep } from 'node:timers/promises'
import { ownConsentPage } from '../own-consent-page'
import { clicks, describeGames, type Game, keys, play, timeLimit } from './play'

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

const windowOverAll: Game = { first: onClick(openOverAll), bait: prepareOpener + onPress('close()'), cover: 'all' }
const windowOverPart: Game = {
  first: onClick(openOverPart),
  bait: prepareOpener + onPress('close()'),
  cover: { width: 400, height: 400 },
}

const mouseGames: Record<string, Game> = {
  'a window over all of it that closes': windowOverAll,
  'a window over a part of it that closes': windowOverPart,
  'a tab in front of it that closes': { first: onClick(openTab), bait: prepareOpener + onPress('close()') },
  'a window over all of it, and many clicks': {
    ...windowOverAll,
    presses: clicks(8),
  },
  'a window over it that moves away': {
    ...windowOverPart,
    bait: `${prepareOpener}${onPress('moveTo(0, 0); setTimeout(close, 900)')}`,
  },
  'a window over all of it that gives up the focus': {
    ...windowOverAll,
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

const ownPage = ownConsentPage()

describeGames('nobody who is made to press something else presses Allow', (engine, count) => {
  // In Firefox the stranger's helper does not get the first window back from the consent page.
  const possible = Object.entries(mouseGames).filter(
    ([name]) => engine.name !== 'Firefox' || !name.includes('goes back'),
  )
  it.each(possible)('behind %s', async (name, game) => void (await play(name, game, { engine, count })), timeLimit)

  // In the others the second Tab leaves the page, for a button of the browser. keys.test.ts has such games in a window of their own.
  const played = Object.entries(keyGames).filter(([name]) => engine.name === 'Chromium' || !name.includes('Tab, Tab'))
  it.each(played)('with %s', async (name, game) => void (await play(name, game, { engine, count })), timeLimit)

  const customers = engine.customers.filter((customer) => customer !== 'has only a finger')
  if (customers.length > 0) {
    it.each(customers)(
      'as a customer who %s',
      async (customer) => void (await play(customer, windowOverAll, { engine, count, customer })),
      timeLimit,
    )
  }

  it(
    'on the page that docs/pages.md shows',
    async () => void (await play('own page', windowOverAll, { engine, count, host: ownPage() })),
    timeLimit,
  )

  it(
    'behind a page that has it fetched ahead of time',
    async () => {
      const stage = await play(
        'prerender',
        {
          first: onClick('location = "/bait"'),
          bait: `
const rules = document.createElement('script')
rules.type = 'speculationrules'
rules.text = JSON.stringify({ prerender: [{ urls: [consent], eagerness: 'immediate' }] })
document.documentElement.append(rules)
tell('ready')
${onPress('location = consent')}`,
        },
        { engine, count },
      )
      // The others know no such rules.
      if (engine.name === 'Chromium') expect(stage.host.purposes).toContain('prefetch;prerender')
    },
    timeLimit,
  )
})
