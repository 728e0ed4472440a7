import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type NightlyPart, nightlyParts } from './nightly-parts'
import { root } from './part'

/** How a part ended the last time that it ran. */
export interface LastRun {
  /** The commit at which it ran. */
  commit: string
  /** In UTC. */
  day: string
  seconds: number
  /** How many tests failed, or 1 if something else did. */
  failures: number
}

/** What is known of a part. */
export interface PartState {
  part: NightlyPart
  last: LastRun | undefined
  /** Whether it must run before a change is complete: it never ran, it failed, it is old, or something that it may notice has changed since. */
  isDue: boolean
  /** How many commits have changed `nightly.json` since, or ever if it never ran. Each change ends with such a commit. */
  landings: number
}

/** No part is older than so many landings. */
export const mostLandings = 10

/** Reads and writes the `nightly.json` of a repository. */
export class NightlyRecord {
  readonly #folder: string
  readonly #parts: readonly NightlyPart[]

  constructor(folder = root, parts = nightlyParts) {
    this.#folder = folder
    this.#parts = parts
  }

  /** Of each part, at the commit that is checked out. */
  states(): PartState[] {
    const runs = this.#read()
    return this.#parts.map((part) => {
      const { [part.name]: last } = runs
      if (!last || !this.#isPast(last.commit)) return { part, last, isDue: true, landings: this.#landingsIn('HEAD') }
      const isChanged = this.git('diff', '--name-only', last.commit, 'HEAD', '--', ...part.reach) !== ''
      const landings = this.#landingsIn(`${last.commit}..HEAD`)
      return { part, last, isDue: last.failures > 0 || isChanged || landings >= mostLandings, landings }
    })
  }

  /** The parts to run: those that are due, then the others, the oldest first. @param options.resume Only those that are due. */
  partsToRun(names: readonly string[], options: { resume: boolean }): NightlyPart[] {
    const known = this.#parts.map(({ name }) => name)
    const unknown = names.find((name) => !known.includes(name))
    if (unknown !== undefined) throw new Error(`There is no part "${unknown}". The parts are: ${known.join(', ')}`)
    return this.states()
      .filter(({ part, isDue }) => (names.length === 0 || names.includes(part.name)) && (isDue || !options.resume))
      .sort((one, other) => Number(other.isDue) - Number(one.isDue) || other.landings - one.landings)
      .map(({ part }) => part)
  }

  write(name: string, run: LastRun): void {
    const runs = { ...this.#read(), [name]: run }
    const rows = this.#parts.flatMap(({ name }) => (runs[name] ? [[name, runs[name]]] : []))
    writeFileSync(this.#path, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`)
  }

  /** @returns What it printed. */
  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.#folder, encoding: 'utf8' }).trim()
  }

  /** Whether a commit is known, and led to the one that is checked out. */
  #isPast(commit: string): boolean {
    return spawnSync('git', ['merge-base', '--is-ancestor', commit, 'HEAD'], { cwd: this.#folder }).status === 0
  }

  #landingsIn(commits: string): number {
    return Number(this.git('rev-list', '--count', commits, '--', 'nightly.json'))
  }

  #read(): Record<string, LastRun> {
    return JSON.parse(readFileSync(this.#path, 'utf8'))
  }

  get #path(): string {
    return join(this.#folder, 'nightly.json')
  }
}
