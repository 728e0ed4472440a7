import type { Exchange } from '../history'

/** The rules, as README.md names them. */
export const rules = ['a', 'b', 'c', 'd', 'e', 'f'] as const

/** A violation that the history shows, or a case that the docs admit. */
export interface Finding {
  rule: (typeof rules)[number]
  why: string
  grant: number
  /** The ids of the exchanges that show it. */
  shownBy: number[]
  /** Why it is not a violation. */
  admitted?: string
}

/** @param restsOn Writes on which the finding depends. If the nemesis lost one of them, the finding is admitted. */
export function finding(
  rule: Finding['rule'],
  why: string,
  shownBy: readonly Exchange[],
  restsOn: { exchanges: readonly Exchange[]; isLost(exchange: Exchange): boolean },
): Finding {
  const isAdmitted = restsOn.exchanges.some((exchange) => restsOn.isLost(exchange))
  const [{ grant } = { grant: -1 }] = shownBy
  return {
    rule,
    why,
    grant,
    shownBy: shownBy.map(({ id }) => id),
    ...(isAdmitted && { admitted: 'the nemesis lost the write' }),
  }
}
