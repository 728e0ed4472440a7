import { setTimeout as sleep } from 'node:timers/promises'
import { describeWithDisplay } from '../../../support/display'
import { type Engine, engines } from '../../../support/engines'
import type { Delay } from './host'
import { type Inside, type Outcome, type Place, type Point, Stage, type StageOptions } from './stage'
import type { Lure } from './stranger'

// `GAMES=20 npx jest test/field/browser/games` plays more of each, and all of them in each engine. `GAMES_IN=Firefox,WebKit` names engines.
const { GAMES, GAMES_IN = 'Chromium,Firefox,WebKit' } = process.env
const chosen = engines.filter(({ name }) => GAMES_IN.split(',').includes(name))

/** How often each engine plays a game. */
export function roundsIn({ name }: Engine): number {
  return Math.ceil(Number(GAMES ?? 1) / (name === 'Chromium' ? 1 : 4))
}

/** For tests that play this many games. */
export const timeLimit = 60_000 + Number(GAMES ?? 1) * 30_000

/** Presses mouse buttons or keys, with this many milliseconds between two of them. */
export type Presses = (stage: Stage, gap: number) => Promise<void>

/** How many games of a suite were played, and how many were void. */
export interface Count {
  played: number
  void: number
}

/** `describe` for games in each engine. @param inGate Whether the gate plays them in all of them. Otherwise it does in Chromium. */
export function describeGames(name: string, define: (engine: Engine, count: Count) => void, inGate = false): void {
  const playing = chosen.filter((engine) => GAMES || inGate || engine.name === 'Chromium')
  for (const engine of playing) {
    describeWithDisplay(engine, `${name} (${engine.name})`, () => {
      const count = { played: 0, void: 0 }
      define(engine, count)
      it('with few games that were void because the machine was too slow', () => {
        // The gate plays few games in an engine, of which a third would say little. Each of them has been played to its end.
        expect(count.void * 3).toBeLessThanOrEqual(Math.max(count.played, 24))
      })
    })
  }
}

export const clicks =
  (times: number): Presses =>
  async (stage, gap) => {
    for (let done = 0; done < times; done++) {
      if (done > 0) await sleep(gap)
      stage.click()
    }
  }

export const keys =
  (...names: string[]): Presses =>
  async (stage, gap) => {
    for (const [index, name] of names.entries()) {
      if (index > 0) await sleep(gap)
      stage.key(name)
    }
  }

/** Plays rounds until enough are not void, with pauses of 80 to 550 ms. Fails if a stranger got a code. */
export async function playRounds(
  name: string,
  { engine, count, rounds = roundsIn(engine) }: { engine: Engine; count: Count; rounds?: number },
  round: (gap: number, index: number) => Promise<Outcome>,
): Promise<void> {
  const won: string[] = []
  let voided = 0
  for (let valid = 0; valid < rounds; ) {
    const gap = 80 + Math.random() * 470
    const { verdict } = await round(gap, valid)
    count.played++
    if (verdict === 'robbed') won.push(`with pauses of ${Math.round(gap)} ms`)
    if (verdict !== 'void') valid++
    else if (++voided > rounds + 5) throw new Error(`${voided} games were void: the machine is too slow`)
  }
  count.void += voided
  if (GAMES) process.stderr.write(`${engine.name}: ${name}: ${won.length} codes in ${rounds} games, ${voided} void\n`)
  expect(won).toEqual([])
}

/** The size of a window. */
interface Size {
  width: number
  height: number
}

/** A game that begins in the stranger's first page, and in which the customer's own presses bring the consent page to the front. */
export interface Game extends Lure {
  /** What the customer presses once the stranger's page is ready. By default a double click. */
  presses?: Presses
  /** The size of the window that the stranger opens over Allow. */
  cover?: 'all' | Size
  /** Whether it opens a tab, which comes to the front. It is closed after each round: a browser has six connections to a site. */
  inTab?: boolean
}

/** Plays a game, with pauses of 80 to 550 ms. After each round, the customer must be able to press Allow. */
export async function play(
  name: string,
  { presses = clicks(2), cover, inTab = false, ...lure }: Game,
  { count, ...options }: StageOptions & { count: Count },
): Promise<Stage> {
  const stage = await Stage.open(lure, options)
  const allow = await stage.pointAtAllow()
  await playRounds(name, { engine: options.engine, count }, async (gap) => {
    const [opened] = await Promise.all([cover && stage.inside('inside-bait', allow, 500), stage.ready()])
    if (opened && cover) expectCover(stage, opened, cover, allow)
    stage.move(allow)
    await presses(stage, gap)
    const outcome = await stage.outcome()
    if (!outcome.isAnswered) await stage.allow()
    if (inTab) stage.do('key', 'ctrl+w')
    return outcome
  })
  return stage
}

/** Fails unless a window covers all that it should. */
function expectCover(stage: Stage, cover: Inside, size: 'all' | Size, allow: Point): void {
  if (size !== 'all') stage.expectSize(cover, size)
  const covered = size === 'all' ? stage.main : { ...allow, width: 1, height: 1 }
  const [right, bottom] = [covered.x + covered.width, covered.y + covered.height]
  const covers =
    cover.x <= covered.x && cover.y <= covered.y && cover.x + cover.width >= right && cover.y + cover.height >= bottom
  expect({ cover, covered, covers }).toEqual({ cover, covered, covers: true })
}

/** A game in a window that the stranger opens for the consent page, under a mouse that rests where Allow will be. */
export interface WindowGame {
  size: Size
  /** What the consent page does in a rehearsal, which leaves Allow where the trick will bring it. */
  rehearse?: string
  /** What the customer does in a rehearsal. */
  act?: (stage: Stage) => void
  zooms?: boolean
  /** How the consent page arrives. It is under the mouse then, and comes while the mouse rests. */
  delay?: (round: number) => Delay
  /** A script of the consent page, as only the host can put there. */
  script?: string
  /** Brings Allow under the mouse, once the consent page has been there for a second. */
  trick?: (stage: Stage, allow: Place) => Promise<void> | void
  /** What the customer presses after that. By default one click. */
  presses?: Presses
  /** Undoes what the customer did. */
  undo?: (stage: Stage) => void
}

/** Plays a game in a window of its own, with pauses of 80 to 550 ms between the moment in which Allow comes under the mouse and the press. */
export async function playInWindow(
  name: string,
  { size, rehearse, act, zooms, delay, script, trick, presses = clicks(1), undo }: WindowGame,
  { count, ...options }: StageOptions & { count: Count },
): Promise<void> {
  const stage = await Stage.open({}, options)
  const inside = await stage.popup({ x: 200, y: 100, ...size })
  const allow = await stage.rehearse({ open: 'w.location =', before: rehearse, act: act && (() => act(stage)), zooms })
  undo?.(stage)
  await sleep(300)
  stage.move(within(inside, allow))
  await playRounds(name, { engine: options.engine, count }, async (gap, round) => {
    stage.host.script = script === undefined ? '' : `${stage.tellScript}\n${script}`
    stage.host.delay = delay?.(round)
    const shown = stage.until('shown')
    stage.forget()
    stage.order('w.location = consent')
    await stage.resting<unknown>(trick ? shown.then(() => sleep(1000)) : shown)
    if (trick) {
      stage.forget()
      await trick(stage, allow)
    }
    await sleep(gap)
    await presses(stage, gap)
    const outcome = await stage.outcome()
    undo?.(stage)
    return outcome
  })
}

/** A place in a window, or the middle of the window if the place is not in it. */
function within({ x, y, width, height }: Inside, place: Point): Point {
  const isInside = place.x > 0 && place.x < width && place.y > 0 && place.y < height
  const { x: right, y: down } = isInside ? place : { x: width / 2, y: height / 2 }
  return { x: x + right, y: y + down }
}
