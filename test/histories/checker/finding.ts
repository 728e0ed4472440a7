import type { Exchange } from '../history'

/** The rules, as README.md names them. */
export const rules = ['a', 'b', 'c', 'd', 'e', 'f'] as const

/** Something that the history shows and that should not be, or that is known and admitted. */
export interface Finding {
  rule: (typeof rules)[number]
  why: string
  grant: number
  /** The ids of the exchanges that show it. */
  shownBy: number[]
  /** Why it is no violation. */
  admitted?: string
}

/** @param restsOn Writes without which it would be none: where the nemesis lost one of them, the finding is admitted. */
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
