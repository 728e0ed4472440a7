import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Row {
  requirement: string
  source: string
  tests: { name: string; path: string; title: string }[]
}

const rows = readFileSync(join(__dirname, 'README.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Requirement |'))
  .map((line): Row => {
    const [requirement = '', source = '', tests = ''] = line.slice(2, -2).split(' | ')
    return { requirement, source, tests: tests.split('<br>').map(namedTest) }
  })

/** Reads `[name](path): title`. */
function namedTest(text: string): Row['tests'][number] {
  const [, name = '', path = '', title = ''] = /^\[([^\]]+)\]\(([^)]+)\): (.+)$/.exec(text) ?? []
  return { name, path: join(__dirname, path), title }
}

/** Whether a file has a test of this title, with or without a table of cases. */
function hasTest(path: string, title: string): boolean {
  const escaped = title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?:\\bit|\\btest|\\))\\(\\s*(['"\`])${escaped}\\1`).test(readFileSync(path, 'utf8'))
}

describe('the conformance table', () => {
  it('has a requirement, its source and at least one test in every row', () => {
    expect(rows.length).toBeGreaterThan(0)
    for (const { requirement, source, tests } of rows) {
      for (const text of [requirement, source, ...tests.map(({ title }) => title)]) expect(text).not.toBe('')
    }
  })

  it('lists every requirement once', () => {
    const requirements = rows.map(({ requirement }) => requirement)
    expect(requirements).toEqual([...new Set(requirements)])
  })

  it.each(rows)('names tests that exist: $requirement', ({ tests }) => {
    for (const { name, path, title } of tests) {
      expect({ path, exists: existsSync(path) }).toEqual({ path, exists: true })
      expect(path.endsWith(`/${name}`)).toBe(true)
      expect({ title, exists: hasTest(path, title) }).toEqual({ title, exists: true })
    }
  })
})
