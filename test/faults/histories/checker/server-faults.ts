import type { Entry, Exchange } from '../history'
import type { Finding } from './finding'
import { groupBy } from './group-by'

const faults = ['died', 'unhandled rejection', 'uncaught exception']

/** Rule (f): no 5xx other than 503, no process that dies, no unhandled rejection, and no outage that outlives its cause. */
export function serverFaults(entries: readonly Entry[]): Finding[] {
  const exchanges = entries.filter((entry): entry is Exchange => entry.kind === 'exchange')
  const wrong = exchanges.filter(({ answer }) => Number(answer) >= 500 && answer !== 503)
  return [
    ...entries.flatMap((entry) =>
      entry.kind === 'told' && faults.includes(entry.event)
        ? [{ rule: 'f' as const, why: `host ${entry.host}: ${entry.event}: ${entry.detail}`, grant: -1, shownBy: [] }]
        : [],
    ),
    ...wrong.map((one) => found(one, `${one.act} was answered with ${one.answer}`)),
    ...neverAnswered(exchanges).map((one) => found(one, `the last answer, with all faults healed: ${one.answer}`)),
  ]
}

/** The last requests of owners that got no decision until the end. */
function neverAnswered(exchanges: readonly Exchange[]): Exchange[] {
  const byGrant = groupBy(
    exchanges.filter(({ by }) => by === 'owner'),
    ({ grant }) => grant,
  )
  return [...byGrant.values()].flatMap((own) => {
    const decidedAt = Math.max(...own.filter(isDecided).map(({ ended }) => ended))
    return own.filter((one) => !isDecided(one) && one.begun > decidedAt).slice(-1)
  })
}

function isDecided({ answer }: Exchange): boolean {
  return typeof answer === 'number' && answer !== 503
}

function found({ grant, id }: Exchange, why: string): Finding {
  return { rule: 'f', why, grant, shownBy: [id] }
}
