import type { Delay } from './host'
import { describeGames, playInWindow, timeLimit } from './play'

const size = { width: 600, height: 800 }
const pauses = [1000, 2000, 50, 200, 700]
const pauseOf = (round: number) => pauses[round % pauses.length] ?? 0

/** Where each element of the card begins. */
function elements(page: string): number[] {
  const [begin, end] = [page.indexOf('<main>'), page.indexOf('</main>')]
  return [...page.matchAll(/<[a-z]/g)].map(({ index }) => index).filter((index) => index > begin && index < end)
}

/** The last place at which this begins. */
const last = (text: string) => (page: string) => [page.lastIndexOf(text)]

// A round has the next pause. Where it also has the next element, each element has its turn in a few nights: 7 has no divisor in common.
const kinds: Record<string, (round: number) => Delay> = {
  'the form': (round) => ({ cuts: last('<form'), pause: pauseOf(round) }),
  'the button Allow': (round) => ({ cuts: last('<button'), pause: pauseOf(round) }),
  'all elements, one after the other': (round) => ({ cuts: elements, pause: round % 2 ? 100 : 50 }),
  'one of the elements': (round) => ({
    cuts(page) {
      const all = elements(page)
      return [all.at(-1 - ((round * 7) % all.length)) ?? 0]
    },
    pause: pauseOf(round),
  }),
}

describeGames('nobody under whose mouse Allow arrives late presses it', (engine, count) => {
  it.each(Object.entries(kinds))(
    'with %s',
    (name, delay) => playInWindow(`late: ${name}`, { size, delay }, { engine, count }),
    timeLimit,
  )
})
