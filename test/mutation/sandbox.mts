import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Mutant } from '@stryker-mutator/api/core'
import type { Ignorer } from '@stryker-mutator/api/ignore'
import { Instrumenter } from '@stryker-mutator/instrumenter'

export const sandbox = resolve('reports/mutation/sandbox')

/** What some tests read: all but the benchmarks. */
const needed = /^(\.github|docs|examples|scripts|src|test|\w[^/]*$)/

/** Copies the repository, with all mutants of the texts in it, of which none is active. */
export async function fillSandbox(texts: ReadonlyMap<string, string>): Promise<readonly Mutant[]> {
  rmSync(sandbox, { recursive: true, force: true })
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  const files = listed.split('\n').filter((file) => needed.test(file) && existsSync(file))
  for (const file of files) cpSync(file, `${sandbox}/${file}`)
  symlinkSync(resolve('node_modules'), `${sandbox}/node_modules`)
  const sources = [...texts].map(([name, content]) => ({ name, content, mutate: true }))
  const options = { plugins: null, excludedMutations: [], ignorers: [prose] }
  const instrumented = await new Instrumenter(silent).instrument(sources, options)
  for (const { name, content } of instrumented.files) {
    mkdirSync(dirname(`${sandbox}/${name}`), { recursive: true })
    writeFileSync(`${sandbox}/${name}`, content)
  }
  // For the tests that run the built command.
  execFileSync('npx', ['tsc', '--project', 'tsconfig.build.json', '--noCheck', '--declaration', 'false'], {
    cwd: sandbox,
    stdio: 'inherit',
  })
  return instrumented.mutants
}

interface Node {
  type?: string
  value?: unknown
  quasis?: { value: { raw: string } }[]
  elements?: Node[]
}

/** Leaves out texts of several words, which are written for people, and lists of them. */
const prose: Ignorer = {
  shouldIgnore: ({ node }: { node?: Node }) => (node && isProse(node) ? 'A text for people' : undefined),
}

function isProse({ type, value, quasis = [], elements = [] }: Node): boolean {
  if (type === 'ArrayExpression') return elements.length > 0 && elements.every(isProse)
  const text = type === 'StringLiteral' ? String(value) : quasis.map(({ value: { raw } }) => raw).join('…')
  return /\w,? \w/.test(text)
}

const no = (): false => false
const nothing = (): void => undefined
const silent = {
  isTraceEnabled: no,
  isDebugEnabled: no,
  isInfoEnabled: no,
  isWarnEnabled: no,
  isErrorEnabled: no,
  isFatalEnabled: no,
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  fatal: nothing,
}
