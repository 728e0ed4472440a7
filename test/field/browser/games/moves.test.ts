import { setTimeout as sleep } from 'node:timers/promises'
import { describeGames, type Game, play, playInWindow, timeLimit } from './play'
import type { Stage } from './stage'

const small = { width: 340, height: 150 }
const overAllow = `onclick = (event) => open('/bait', '', ['popup', 'left=' + (event.screenX - 170), 'top=' + (event.screenY - 110), 'width=340', 'height=150'].join())`
const opening = `
setTimeout(() => { opener.location = consent }, 20)
whenOpenerIsGone(() => tell('ready'))
`

// The rest of the consent page can be seen all the time.
const covers: Record<string, Game> = {
  'a small window over it closes': {
    first: overAllow,
    bait: `${opening}onmousedown = () => close()`,
    cover: small,
  },
  'a small window over it moves aside': {
    first: overAllow,
    bait: `${opening}onmousedown = () => { moveTo(900, 20); setTimeout(close, 900) }`,
    cover: small,
  },
  'a small window over it moves by itself': {
    first: overAllow,
    bait: `${opening}onmousedown = () => setTimeout(() => { tell('moved'); moveTo(900, 20); setTimeout(close, 900) }, 900)`,
    cover: small,
    async presses(stage, gap) {
      const moved = stage.until('moved')
      stage.click()
      await moved
      await sleep(gap)
      stage.click()
    },
  },
}

const zoom = (stage: Stage) => stage.do('key', 'ctrl+plus', 'ctrl+plus', 'ctrl+plus')
const narrow = (stage: Stage) => stage.do('getactivewindow', 'windowsize', 460, 860)
const widen = (stage: Stage) => stage.do('getactivewindow', 'windowsize', 700, 860)

describeGames('nobody under whose mouse Allow moves presses it', (engine, count) => {
  it.each(Object.entries(covers))(
    'when %s',
    async (name, game) => void (await play(name, game, { engine, count })),
    timeLimit,
  )

  it(
    'when the customer zooms',
    () =>
      playInWindow(
        'zoom',
        {
          size: { width: 700, height: 700 },
          rehearse: `scrollTo(0, 0)`,
          act: zoom,
          zooms: true,
          trick(stage) {
            stage.moved()
            zoom(stage)
          },
          undo: (stage) => stage.do('key', 'ctrl+0'),
        },
        { engine, count },
      ),
    timeLimit,
  )

  it(
    'when the window gets another size',
    () =>
      playInWindow(
        'resize',
        {
          size: { width: 700, height: 800 },
          act: narrow,
          trick(stage) {
            stage.moved()
            narrow(stage)
          },
          undo: widen,
        },
        { engine, count },
      ),
    timeLimit,
  )
})
