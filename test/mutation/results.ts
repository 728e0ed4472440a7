import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

// All paths are from the root of the repository, where npm and Jest run.
const path = 'test/mutation/results.json'
const readmePath = 'test/mutation/README.md'

/** The result of the last run over a source file. */
export interface FileResult {
  /** Its path from the root of the repository. */
  file: string
  killed: number
  survived: number
}

/** The last result of each source file, by the hash of the code that was mutated: so it stays when the file moves. */
export type Results = Record<string, FileResult>

export function readResults(): Results {
  return JSON.parse(readFileSync(path, 'utf8'))
}

/** Writes the results in the order of their paths, and their table into the README. */
export function writeResults(results: Results): void {
  const sorted = Object.entries(results).sort(([, one], [, other]) => (one.file < other.file ? -1 : 1))
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`)
  const readme = readFileSync(readmePath, 'utf8')
  writeFileSync(readmePath, readme.replace(/(?<=<!-- results -->\n).*(?=\n<!-- \/results -->)/s, tableOf(results)))
}

/** SHA-256 of what mutants change: imports, lines of comments, indentation and empty lines do not count. */
export function sha256Of(text: string): string {
  const withoutImports = text.replaceAll(/^import [^'"]*['"][^'"]*['"]$/gm, '')
  const lines = withoutImports
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const code = lines.filter((line) => !/^(\/\/|\/?\*)/.test(line))
  return createHash('sha256').update(code.join('\n')).digest('hex')
}

/** The results as a table for the README: a row for each folder, and one for all. */
export function tableOf(results: Results): string {
  const rows = byFolder(results).map(([folder, own]) => rowOf(`\`${folder}\``, own))
  return [
    '| folder | mutants | killed | survived | rate |',
    '|---|--:|--:|--:|--:|',
    ...rows,
    rowOf('all', results),
  ].join('\n')
}

function rowOf(name: string, results: Results): string {
  const { killed, survived } = sumOf(results)
  return `| ${name} | ${killed + survived} | ${killed} | ${survived} | ${(100 * rateOf(results)).toFixed(1)} % |`
}

/** The results of each folder, without those of the folders in it. */
export function byFolder(results: Results): [folder: string, own: Results][] {
  const folders = [...new Set(Object.values(results).map(folderOf))].sort()
  const isIn = (folder: string) => (entry: [string, FileResult]) => folderOf(entry[1]) === folder
  return folders.map((folder) => [folder, Object.fromEntries(Object.entries(results).filter(isIn(folder)))])
}

/** The share of the mutants that was killed. */
export function rateOf(results: Results): number {
  const { killed, survived } = sumOf(results)
  return killed / (killed + survived)
}

function folderOf({ file }: FileResult): string {
  return file.replace(/[^/]*$/, '')
}

function sumOf(results: Results): { killed: number; survived: number } {
  const all = Object.values(results)
  const sum = (numbers: number[]): number => numbers.reduce((total, each) => total + each, 0)
  return { killed: sum(all.map(({ killed }) => killed)), survived: sum(all.map(({ survived }) => survived)) }
}
