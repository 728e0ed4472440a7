import { readFileSync } from 'node:fs'

/** A mutant that no test kills, identified by the text that it changes, because line numbers change with every edit. */
export interface Survivor {
  /** The line on which the mutated text begins. */
  line: string
  /** The original text, an arrow, and the text of the mutant. */
  mutant: string
  /** Why no test kills it. */
  reason: string
}

/** The known survivors, by the path of their source file from the root of the repository. */
export type Survivors = Record<string, Survivor[]>

export function readSurvivors(): Survivors {
  return JSON.parse(readFileSync('test/mutation/survivors.json', 'utf8'))
}

/** The position of a text. Lines and columns are counted from 1. */
export interface Location {
  start: { line: number; column: number }
  end: { line: number; column: number }
}

/** A mutant in the form of the list. */
export function mutationOf(text: string, { start, end }: Location, replacement: string): Omit<Survivor, 'reason'> {
  const lines = text.split('\n')
  const offsetOf = ({ line, column }: Location['start']): number =>
    lines.slice(0, line - 1).reduce((length, { length: more }) => length + more + 1, column - 1)
  const line = lines[start.line - 1]?.trim() ?? ''
  return { line, mutant: `${shortened(text.slice(offsetOf(start), offsetOf(end)))} → ${shortened(replacement)}` }
}

function shortened(code: string): string {
  const words = code.trim().replaceAll(/\s+/g, ' ')
  return words.length > 100 ? `${words.slice(0, 99)}…` : words
}

/** Whether two mutants are the same according to the list. */
export function isSame(one: Omit<Survivor, 'reason'>, other: Omit<Survivor, 'reason'>): boolean {
  return one.line === other.line && one.mutant === other.mutant
}
