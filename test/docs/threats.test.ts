import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root, textOf } from './pages'

interface Threat {
  threat: string
  source: string
  defence: string
  tests: { name: string; path: string; titles: string[] }[]
}

const page = textOf('docs/threats.md')
const threats = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('](../test/'))
  .map((line): Threat => {
    const [threat = '', source = '', defence = '', tests = ''] = line.slice(2, -2).split(' | ')
    return { threat, source, defence, tests: tests.split('<br>').map(namedTest) }
  })

/** Reads `[name](path): title`, or `[name](path): group › title`. */
function namedTest(text: string): Threat['tests'][number] {
  const [, name = '', path = '', title = ''] = /^\[([^\]]+)\]\(([^)]+)\): (.+)$/.exec(text) ?? []
  return { name, path: join(root, 'docs', path), titles: title.split(' › ') }
}

/** Whether a file has a test or a group of tests of this title, with or without a table of cases. */
function hasTitle(path: string, title: string): boolean {
  const escaped = title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?:\\b(?:describe\\w*|it|test)|\\))\\(\\s*(?:\\w+, )?(['"\`])${escaped}\\1`).test(
    readFileSync(path, 'utf8'),
  )
}

describe('docs/threats.md', () => {
  it('names the source, the defence and a test for every threat', () => {
    expect(threats.length).toBeGreaterThan(40)
    for (const { threat, source, defence, tests } of threats) {
      for (const text of [threat, source, defence, ...tests.flatMap(({ titles }) => titles)]) expect(text).not.toBe('')
    }
  })

  it('has a test for every row of a table of threats', () => {
    const tables = page.split('| Threat | Source |').slice(1)
    const rows = tables.flatMap((table) => table.trimEnd().split('\n\n')[0]?.split('\n').slice(2) ?? [])
    expect(rows.length).toBe(threats.length)
  })

  it('covers every attack of RFC 9700 section 4', () => {
    const cited = threats.flatMap(({ source }) => {
      const [, sections = ''] = /RFC 9700 ([\d., ]+)/.exec(source) ?? []
      return sections.split(', ').map((section) => section.split('.').slice(0, 2).join('.'))
    })
    const attacks = Array.from({ length: 17 }, (_, index) => `4.${index + 1}`)
    expect(attacks.filter((attack) => !cited.includes(attack))).toEqual([])
  })

  it.each(threats)('names tests that exist: $threat', ({ tests }) => {
    for (const { name, path, titles } of tests) {
      expect({ path, exists: existsSync(path) }).toEqual({ path, exists: true })
      expect(name).toBe(basename(path))
      for (const title of titles) expect({ title, exists: hasTitle(path, title) }).toEqual({ title, exists: true })
    }
  })
})
