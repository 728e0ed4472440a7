import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { leadsSomewhere, textOf } from '../../docs/pages'

const page = 'test/unit/conformance/README.md'

interface Row {
  requirement: string
  source: string
  tests: { name: string; path: string; title: string }[]
  /** What a host switches on, or has to do, with the page that says so. */
  pages: { option?: string; link: string }[]
}

const rows = textOf(page)
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Requirement |'))
  .map((line): Row => {
    const [requirement = '', source = '', shown = ''] = line.slice(2, -2).split(' | ')
    const entries = shown.split('<br>')
    const isPage = (text: string) => /^(?:Option|The host's):/.test(text)
    return {
      requirement,
      source,
      tests: entries.filter((text) => !isPage(text)).map(namedTest),
      pages: entries.filter(isPage).map(namedPage),
    }
  })

/** Reads `[name](path): title`. */
function namedTest(text: string): Row['tests'][number] {
  const [, name = '', path = '', title = ''] = /^\[([^\]]+)\]\(([^)]+)\): (.+)$/.exec(text) ?? []
  return { name, path: join(__dirname, path), title }
}

/** Reads "Option: `name`, [section](link)" and "The host's: [section](link)". */
function namedPage(text: string): Row['pages'][number] {
  const [, option, link = ''] = /^(?:Option: `([^`]+)`,|The host's:) \[[^\]]+\]\(([^)]+#[^)]+)\)$/.exec(text) ?? []
  return { link, ...(option !== undefined && { option }) }
}

/** Whether a file has a test of this title, with or without a table of cases. */
function hasTest(path: string, title: string): boolean {
  const escaped = title.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return new RegExp(`(?:\\bit|\\btest|\\))\\(\\s*(['"\`])${escaped}\\1`).test(readFileSync(path, 'utf8'))
}

describe('the conformance table', () => {
  it('has a requirement, its source and at least one test, option or page in every row', () => {
    expect(rows.length).toBeGreaterThan(0)
    for (const { requirement, source, tests, pages } of rows) {
      const shown = [...tests.map(({ title }) => title), ...pages.map(({ link }) => link)]
      for (const text of [requirement, source, ...shown]) expect(text).not.toBe('')
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

  it.each(rows.filter(({ pages }) => pages.length > 0))('names pages that exist: $requirement', ({ pages }) => {
    for (const { option, link } of pages) {
      expect({ link, exists: leadsSomewhere(link, page) }).toEqual({ link, exists: true })
      const text = readFileSync(join(__dirname, link.split('#')[0] ?? ''), 'utf8')
      const [name = ''] = option?.split('.').slice(-1) ?? []
      expect({ option, named: text.includes(name) }).toEqual({ option, named: true })
    }
  })
})
