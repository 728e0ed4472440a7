import { setTimeout as sleep } from 'node:timers/promises'
import { describeGames, keys, type Presses, playInWindow, timeLimit } from './play'

const size = { width: 600, height: 800 }

/** A click on Allow while it is dead: it decides where the Tab key begins. */
const clickThen =
  (...names: string[]): Presses =>
  async (stage, gap) => {
    stage.click()
    await sleep(gap)
    await keys(...names)(stage, gap)
  }

const kinds: Record<string, Presses> = {
  'Tab, Tab and Enter at once': keys('Tab', 'Tab', 'Return'),
  'Tab, Tab, Tab and the space bar at once': keys('Tab', 'Tab', 'Tab', 'space'),
  'Shift+Tab and Enter at once': keys('shift+Tab', 'Return'),
  'a click on Allow, Tab and Enter': clickThen('Tab', 'Return'),
  'a click on Allow, Shift+Tab and Enter': clickThen('shift+Tab', 'Return'),
  'a click on Allow, Shift+Tab, Tab and Enter': clickThen('shift+Tab', 'Tab', 'Return'),
}

describeGames('nobody whose keys are too fast for the page presses Allow', (engine, count) => {
  it.each(Object.entries(kinds))(
    'with %s',
    (name, presses) => playInWindow(name, { size, presses }, { engine, count }),
    timeLimit,
  )
})
