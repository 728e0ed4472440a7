import { describeGames, playInWindow, timeLimit, type WindowGame } from './play'
import { findButton } from './stage'

const sizes = [
  { width: 340, height: 150 },
  { width: 600, height: 400 },
]

/** The stranger tries the names that are in their own copy of the page, the nearest to Allow last, and some that every page has. */
const byFragment: Omit<WindowGame, 'size'> = {
  rehearse: `const named = [...document.querySelectorAll('[id]')].filter((each) => each.contains(button) || each.compareDocumentPosition(button) & 4);
(named.at(-1) ?? button).scrollIntoView()`,
  async trick(stage, { names }) {
    const moved = stage.until('moved')
    stage.order(`${JSON.stringify(['', 'top', ':~:text=Allow', ...names])}.forEach((name, index) => setTimeout(() => {
  tell('moved')
  w.location = consent + '#' + name
}, index * 50))`)
    await moved
  },
}

/** No page of another origin can do this. It stands for whatever else scrolls. */
const byScript: Omit<WindowGame, 'size'> = {
  rehearse: `button.scrollIntoView({ block: 'center' })`,
  script: `${findButton}
onmessage = () => {
  button.scrollIntoView({ block: 'center' })
  const { x, y, width, height } = button.getBoundingClientRect()
  tell('moved', { x: x + width / 2, y: y + height / 2 })
}`,
  async trick(stage, allow) {
    const moved = stage.until('moved')
    stage.order(`w.postMessage('now', '*')`)
    const { x, y } = await moved
    expect({ x: Number(x), y: Number(y) }).toEqual({ x: allow.x, y: allow.y })
  },
}

describeGames(
  'nobody under whose mouse Allow is scrolled presses it',
  (engine, count) => {
    const by = (how: string, game: Omit<WindowGame, 'size'>) =>
      it.each(sizes)(
        `${how} in a window of $width × $height`,
        (size) => playInWindow(`${how} in ${size.width} × ${size.height}`, { ...game, size }, { engine, count }),
        timeLimit,
      )

    by('by a fragment of the address', byFragment)
    by('by a script', byScript)
  },
  true,
)
