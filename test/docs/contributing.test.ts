import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { allTablesUnder, root, tableUnder, textOf } from './pages'

const page = '.github/CONTRIBUTING.md'

describe('CONTRIBUTING.md', () => {
  it('has a line for every folder of src, and for every file directly in src', () => {
    const [map = []] = allTablesUnder('## How the code is laid out', page)
    const named = map.flatMap(([, rooms = '']) => linksOf(rooms))
    expect(named.sort()).toEqual(readdirSync(join(root, 'src')).map((name) => `../src/${name}`))
  })

  it('has a line for every folder of tests', () => {
    const [tests = []] = allTablesUnder('## How the tests are laid out', page)
    const named = tests.flatMap(([folders = '']) => linksOf(folders)).map((link) => link.split('/')[2])
    expect([...new Set(named)].sort()).toEqual(readdirSync(join(root, 'test')))
  })

  it('names a file of the source for every kind of change', () => {
    const rows = tableUnder('## Where to make a change', page)
    const withoutFile = rows.filter(([, change = '']) => !linksOf(change).some((link) => link.startsWith('../src/')))
    expect(rows.length).toBeGreaterThan(0)
    expect(withoutFile).toEqual([])
  })

  it('names every command, and none that does not exist', () => {
    const { scripts } = JSON.parse(textOf('package.json'))
    const named = [...textOf(page).matchAll(/npm (?:run ([\w:-]+)|(test))/g)].map(([, name, test = '']) => name ?? test)
    expect(named.filter((name) => !(name in scripts))).toEqual([])
    expect(Object.keys(scripts).filter((name) => !named.includes(name))).toEqual([])
  })
})

describe('examples/README.md', () => {
  it('names every example', () => {
    const text = textOf('examples/README.md').replace(/examples\/([\w-]+)\/main\.ts|example:([\w-]+)/g, '`$1$2`')
    const missing = readdirSync(join(root, 'examples')).filter(
      (name) => name !== 'README.md' && !text.includes(`\`${name}\``),
    )
    expect(missing).toEqual([])
  })
})

function linksOf(cell: string): string[] {
  return [...cell.matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link)
}
