import { isUndecided, type Story } from './stories'
import type { Exchange } from './token-endpoint'

/** A promise of a token endpoint, and how often it was kept. */
export interface Row {
  promise: string
  kept: number
  of: number
  /** What happened where it was not kept, each cause once. */
  otherwise: string[]
}

/** What the histories show. */
export interface Verdict {
  /** Whether the server answers with another refresh token. If not, it cannot notice a theft by a repeat. */
  rotates: boolean
  /** Stories that say nothing, because the server was busy or away at the end. */
  undecided: number
  rows: Row[]
}

/** Judges a server by its histories alone. */
export function judge(stories: readonly Story[]): Verdict {
  const decided = stories.filter(({ history }) => history.length > 0 && !isUndecided(lastOf(history).answer))
  const rows = new Map<string, Row>()
  for (const [promise, otherwise] of decided.flatMap((story) => findings[story.kind](story))) {
    const row = rows.get(promise) ?? { promise, kept: 0, of: 0, otherwise: [] }
    rows.set(promise, row)
    row.of++
    if (otherwise === undefined) row.kept++
    else if (!row.otherwise.includes(otherwise)) row.otherwise.push(otherwise)
  }
  return {
    rotates: decided.some(({ history }) =>
      history.some(({ presented, gave }) => gave !== undefined && gave !== presented),
    ),
    undecided: stories.length - decided.length,
    rows: [...rows.values()],
  }
}

/** A promise, and what happened if it was not kept. */
type Finding = [promise: string, otherwise: string | undefined]

const findings: Record<Story['kind'], (story: Story) => Finding[]> = {
  'in turn': ({ history }) => [['refreshes in turn keep a client signed in', refusalOf(history.find(isRefused))]],

  burst({ with: size, history }) {
    const asked = history.filter(({ by }) => by === 'client')
    const probes = history.filter(({ by }) => by === 'probe')
    const live = probes.filter(isSuccess).length
    const refused = asked.find(isRefused)
    return [
      ['a burst leaves one live token', live > 1 ? `${live} live tokens after a burst of ${size}` : undefined],
      [
        `a burst of ${size} keeps a client signed in that keeps the newest token`,
        probes[0] ? refusalOf([probes[0]].find(isRefused)) : 'no request of the burst was answered',
      ],
      [`a burst of ${size} has no refusal, which MCP SDKs take for the end`, refusalOf(refused)],
    ]
  },

  'answer lost': ({ with: wait, history }) => [
    [
      `a client whose answer was lost stays signed in when it repeats the request ${after(wait)}`,
      refusalOf(history.find(isRefused)),
    ],
  ],

  'request cut': ({ history }) => [
    ['a client that hung up stays signed in when it repeats the request at once', refusalOf(history.find(isRefused))],
  ],

  'two processes': ({ with: wait, history }) => [
    [
      `a process that shares its token with another stays signed in when the other presents it ${after(wait)}`,
      refusalOf(history.find((one) => one.by === 'client' && isRefused(one))),
    ],
    [
      `the other process is answered ${after(wait)}`,
      refusalOf(history.find((one) => one.by === 'other process' && isRefused(one))),
    ],
  ],

  'thief late': ({ history }) => [
    [
      'a thief with a used token gets nothing',
      history.some((one) => one.by === 'thief' && isSuccess(one)) ? 'got tokens' : undefined,
    ],
    [
      'a used token that comes late ends the grant',
      isSuccess(lastOf(history)) ? 'the newest token still works' : undefined,
    ],
  ],

  'thief first': ({ history }) => [
    [
      'a thief who was first loses the grant when its client comes',
      isSuccess(lastOf(history)) ? 'the thief goes on' : undefined,
    ],
  ],

  'wrong request': ({ with: wrong, history }) => [
    [`${wrong} is refused`, isSuccess(firstOf(history)) ? 'was given tokens' : undefined],
    [`${wrong} uses nothing up`, refusalOf(history.slice(1).find(isRefused))],
  ],
}

function isSuccess({ answer }: Exchange): boolean {
  return answer === 200
}

function isRefused({ answer }: Exchange): boolean {
  return !isUndecided(answer) && answer !== 200
}

function refusalOf(exchange: Exchange | undefined): string | undefined {
  return exchange && `${exchange.by === 'probe' ? 'then ' : ''}${exchange.answer} ${exchange.error ?? ''}`.trim()
}

function after(wait: Story['with']): string {
  return wait === 0 ? 'at once' : `after ${wait} s`
}

function firstOf([first]: readonly Exchange[]): Exchange {
  return first as Exchange
}

function lastOf(history: readonly Exchange[]): Exchange {
  return history.at(-1) as Exchange
}
