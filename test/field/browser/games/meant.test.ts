import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { testCertificate } from '../../../support/tls-certificate'
import { type Count, describeGames, playRounds, roundsIn, timeLimit } from './play'
import { type Inside, type Point, Stage, type StageOptions } from './stage'

const size = { width: 600, height: 800 }
// Too small for the question with its buttons, as the window of somebody who zooms to 400 %.
const small = { width: 340, height: 200 }

/** A window with the consent page, and where its buttons are on the screen: that of the first page, and that of the second if there is one. */
interface Asked {
  stage: Stage
  inside: Inside
  places: Point[]
}

/** Opens a window for the consent page, in which the customer presses Allow, with a second page or without. */
async function opened({ width, height }: typeof size, isSecond: boolean, options: StageOptions): Promise<Asked> {
  const stage = await Stage.open({}, options)
  const inside = await stage.popup({ x: 200, y: 80, width, height })
  const places: Point[] = []
  const onScreen = ({ x, y }: Point) => ({ x: inside.x + x, y: inside.y + y })
  const last = await stage.rehearse({
    open: 'w.location =',
    before: `if (button.value === 'confirm') scrollTo(0, document.body.scrollHeight)`,
    ...(isSecond && {
      async act(first) {
        places.push(onScreen(first))
        stage.move(onScreen(first))
        await stage.pressUntil('place')
      },
    }),
  })
  return { stage, inside, places: [...places, onScreen(last)] }
}

async function moveAndPress(stage: Stage, place: Point): Promise<void> {
  stage.move(place)
  await stage.resting(sleep(1000))
  stage.click()
}

/** Opens the page, and waits until it has been painted. */
async function ask(stage: Stage): Promise<void> {
  const shown = stage.until('shown')
  stage.forget()
  stage.order('w.location = consent')
  await shown
  await sleep(500)
}

/**
 * Answers as a customer does who means it. A round without a code is void: on a busy machine, a press can come too soon. The test fails if most
 * rounds are void.
 */
async function expectCodes(
  name: string,
  { stage }: Asked,
  count: Count,
  answer: (stage: Stage) => Promise<void>,
): Promise<void> {
  const rounds = roundsIn(stage.engine) > 1 ? Number(process.env.GAMES) : 1
  await playRounds(name, { engine: stage.engine, count, rounds }, async () => {
    await ask(stage)
    await answer(stage)
    await sleep(1200)
    const isAnswered = stage.has('code')
    return { verdict: isAnswered ? 'kept' : 'void', isAnswered }
  })
}

describeGames(
  'a customer who means it presses Allow',
  (engine, count) => {
    it(
      'with the mouse',
      async () => {
        const asked = await opened(size, false, { engine })
        await expectCodes('a mouse', asked, count, async (stage) => {
          for (const place of asked.places) await moveAndPress(stage, place)
        })
      },
      timeLimit,
    )

    it(
      'with the keyboard',
      async () => {
        const asked = await opened(size, false, { engine })
        await expectCodes('keys', asked, count, async (stage) => {
          stage.key('Tab')
          await sleep(1000)
          stage.key('Tab')
          await sleep(300)
          stage.key('Return')
        })
      },
      timeLimit,
    )

    it(
      'with the mouse in a small window, on the second page',
      async () => {
        const asked = await opened(small, true, { engine })
        await expectCodes('a small window', asked, count, (stage) => pressBoth(stage, asked))
      },
      timeLimit,
    )

    const onPhones = engine.customers.includes('has only a finger') ? it : it.skip
    onPhones(
      'with two taps of a finger',
      async () => {
        const asked = await opened(size, true, { engine, customer: 'has only a finger' })
        await expectCodes('a finger', asked, count, (stage) => pressBoth(stage, asked))
      },
      timeLimit,
    )

    it(
      'and is not in front of anything that acts after going back',
      async () => {
        const asked = await opened(size, false, { engine })
        const { stage, places } = asked
        await playRounds('back after Allow', { engine, count }, async (gap) => {
          await ask(stage)
          for (const place of places) await moveAndPress(stage, place)
          await sleep(1200)
          if (!stage.has('code')) return { verdict: 'void', isAnswered: false }
          await sleep(1000)
          stage.forget()
          stage.moved()
          stage.do('key', 'alt+Left')
          await sleep(gap)
          stage.click()
          return stage.outcome()
        })
      },
      timeLimit,
    )

    it(
      'and reaches an app with https, on loopback, and with a scheme of its own',
      async () => {
        const server = createServer(testCertificate(), (_req, res) => res.end('Back in the app'))
        const arrived: string[] = []
        server.on('request', ({ url }) => arrived.push(String(url)))
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        const trusted = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
        try {
          for (const redirectUri of [`${trusted}/callback`, undefined, 'com.example.games:/callback']) {
            const { stage, places } = await opened(size, false, { engine, trusted, redirectUri })
            await ask(stage)
            // On a busy machine a press can come too soon. Then the customer presses again.
            for (let presses = 0; presses < 5 && !stage.has('code'); presses++) {
              for (const place of places) await moveAndPress(stage, place)
              await sleep(1000)
            }
            // What opens a scheme of its own is no browser: the redirect to it has been sent.
            expect(stage.has('code')).toBe(true)
          }
          await sleep(1000)
          expect(arrived.filter((path) => path.startsWith('/callback?code='))).toHaveLength(1)
        } finally {
          server.closeAllConnections()
          server.close()
        }
      },
      timeLimit,
    )
  },
  true,
)

/** Presses `confirm` at the end of the first page, and Allow on the second. */
async function pressBoth(stage: Stage, { places: [confirm, allow] }: Asked): Promise<void> {
  if (!confirm || !allow) throw new Error('There is no second page')
  stage.move(confirm)
  await stage.scrollDown()
  const shown = stage.until('shown', 10_000)
  await moveAndPress(stage, confirm)
  if (!(await shown.catch(() => undefined))) return
  await sleep(300)
  await moveAndPress(stage, allow)
}
