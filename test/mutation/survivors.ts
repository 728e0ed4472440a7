import { readFileSync } from 'node:fs'

/** A mutant that no test kills, by what it changes: line numbers would be wrong after the next edit. */
export interface Survivor {
  /** The line on which the mutated text begins. */
  line: string
  /** The mutated text, an arrow, and what the mutant has in its place. */
  mutant: string
  /** Why no test kills it. */
  reason: string
}

/** The survivors that are known, by the path of their source file from the root of the repository. */
export type Survivors = Record<string, Survivor[]>

export function readSurvivors(): Survivors {
  return JSON.parse(readFileSync('test/mutation/survivors.json', 'utf8'))
}

/** The place of a text: lines and columns, both counted from 1. */
export interface Location {
  start: { line: number; column: number }
  end: { line: number; column: number }
}

/** How a mutant is written in the list. */
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

/** Whether two mutants are the same, as far as the list tells. */
export function isSame(one: Omit<Survivor, 'reason'>, other: Omit<Survivor, 'reason'>): boolean {
  return one.line === other.line && one.mutant === other.mutant
}
