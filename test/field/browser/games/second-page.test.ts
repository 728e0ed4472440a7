import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from '../../../support/engines'
import { type Count, describeGames, playRounds, timeLimit } from './play'
import { type Point, Stage } from './stage'

// A window that is too small for the question has its buttons on a second page, which comes after `confirm`. So has a page for a finger.
const windows = [
  { where: 'in a small window', size: { width: 340, height: 200 }, customer: undefined },
  { where: 'of a customer who has only a finger', size: { width: 600, height: 400 }, customer: 'has only a finger' },
] as const

/** Where the buttons of the two pages are: `confirm` at the end of the first, Allow near the top of the second. */
interface Buttons {
  confirm: Point
  allow: Point
  /** Where the form of the second page leads. */
  action: string
}

/** What happens on the second page. It has just been asked for, and the mouse is where `confirm` was. */
type Trick = (stage: Stage, buttons: Buttons, gap: number) => Promise<void>

const tooSoon: Trick = async (stage, { allow }, gap) => {
  await stage.until('shown')
  stage.move(allow)
  await sleep(gap)
  stage.click()
}

const manyPresses: Trick = async (stage, _buttons, gap) => {
  for (let presses = 0; presses < 8; presses++) {
    await sleep(gap)
    stage.click()
  }
}

const pressesThere: Trick = async (stage, { allow }, gap) => {
  stage.move(allow)
  for (let presses = 0; presses < 4; presses++) {
    await sleep(gap)
    stage.click()
  }
}

/** The customer reads on and the mouse rests on the text. The stranger tries all addresses that a stranger can know. */
const byFragment: Trick = async (stage, { allow, action }, gap) => {
  await stage.until('shown')
  stage.move(allow)
  await sleep(500)
  await stage.scrollDown()
  await stage.resting(sleep(1000))
  stage.forget()
  const moved = stage.until('moved')
  stage.order(`const pages = [consent, ${JSON.stringify(action)}]
const addresses = pages.flatMap((page) => ['#', '#top', '#:~:text=Allow'].map((fragment) => page + fragment))
addresses.forEach((address, index) => setTimeout(() => {
  tell('moved')
  w.location = address
}, index * 40))`)
  await moved
  await sleep(gap)
  stage.click()
}

const tricks: Record<string, Trick> = {
  'presses Allow where it has just come': tooSoon,
  'presses many times in one place': manyPresses,
  'presses many times in the other place': pressesThere,
  'is scrolled back to Allow by a fragment': byFragment,
}

async function play(
  name: string,
  trick: Trick,
  { size, customer }: (typeof windows)[number],
  { engine, count }: { engine: Engine; count: Count },
): Promise<void> {
  const stage = await Stage.open({}, { engine, customer })
  const inside = await stage.popup({ x: 200, y: 100, ...size })
  const onScreen = ({ x, y }: Point) => ({ x: inside.x + x, y: inside.y + y })
  let confirm = { x: 0, y: 0 }
  const { action, ...place } = await stage.rehearse({
    open: 'w.location =',
    before: `if (button.value === 'confirm') scrollTo(0, document.body.scrollHeight)`,
    async act(first) {
      confirm = onScreen(first)
      stage.move(confirm)
      await stage.pressUntil('place')
    },
  })
  const allow = onScreen(place)
  await playRounds(`${name} ${customer ?? 'in a small window'}`, { engine, count }, async (gap) => {
    const shown = stage.until('shown')
    stage.order('w.location = consent')
    await shown
    stage.move(confirm)
    await sleep(500)
    await stage.scrollDown()
    await stage.resting(sleep(1200))
    stage.forget()
    const posted = stage.until('posted', 3000)
    stage.do('click', 1)
    if (!(await posted.catch(() => undefined))) return { verdict: 'void', isAnswered: false }
    await trick(stage, { confirm, allow, action }, gap)
    return stage.outcome()
  })
}

describeGames('nobody presses Allow on the second page who did not mean to', (engine, count) => {
  const { customers } = engine
  for (const there of windows.filter(({ customer }) => !customer || customers.includes(customer))) {
    it.each(Object.entries(tricks))(
      `${there.where}, where the customer %s`,
      (name, trick) => play(name, trick, there, { engine, count }),
      timeLimit,
    )
  }
})
