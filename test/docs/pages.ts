import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize, resolve } from 'node:path'

export const root = resolve(__dirname, '..', '..')

/** All pages for users, by their paths from the root. */
export const pages = [
  'README.md',
  'AGENTS.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** The pages for contributors, and the generated pages. */
export const furtherPages = ['.github', 'docs/api'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
)

export function textOf(page: string): string {
  return readFileSync(join(root, page), 'utf8')
}

/** Whether a link of a page leads to a file, and to a heading of it, inside this repository. */
export function leadsSomewhere(link: string, page: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), path))
  if (!existsSync(join(root, target))) return false
  return anchor === undefined || anchorsOf(target).includes(anchor)
}

/** The anchors that GitHub gives to headings, and those that a page sets itself. */
function anchorsOf(page: string): string[] {
  const prose = textOf(page).replace(/^```.*?^```$/gms, '')
  const seen = new Map<string, number>()
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-')
    const repeats = seen.get(anchor) ?? 0
    seen.set(anchor, repeats + 1)
    return repeats === 0 ? anchor : `${anchor}-${repeats}`
  })
  return [...headings, ...[...prose.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]
}

/** A fenced code block of TypeScript. */
export interface Snippet {
  page: string
  /** The line of the page on which the code begins. */
  line: number
  code: string
  /** The file of examples/ that the code is copied from. */
  file?: string | undefined
}

export function snippetsOf(page: string): Snippet[] {
  const text = textOf(page)
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code = '', index }) => ({
    page,
    line: text.slice(0, index).split('\n').length + 1,
    code,
    file: /<!-- generated: (examples\/\S+) -->\n\n$/.exec(text.slice(0, index))?.[1],
  }))
}

/** The only snippet that contains these words, of all pages or of these. */
export function snippetWith(words: string, among: readonly string[] = pages): Snippet {
  const [found, ...others] = among.flatMap(snippetsOf).filter(({ code }) => code.includes(words))
  if (!found || others.length > 0) throw new Error(`There must be exactly one snippet with ${words}`)
  return found
}

/** The first fenced code block under a heading, in whatever language. */
export function blockUnder(heading: string, page: string): Snippet {
  const text = textOf(page)
  const start = text.indexOf(`\n${heading}\n`)
  const [block, , code = ''] = /^```(\w+)\n(.*?)^```$/ms.exec(text.slice(start)) ?? []
  if (start < 0 || block === undefined) throw new Error(`${page} has no code under ${heading}`)
  return { page, line: text.slice(0, text.indexOf(block, start)).split('\n').length + 1, code }
}

/** The rows of the first table under a heading, as they are written. */
export function tableUnder(heading: string, page: string): string[][] {
  return allTablesUnder(heading, page)[0] ?? []
}

/** The rows of each table between a heading and the next one of its rank. */
export function allTablesUnder(heading: string, page: string): string[][][] {
  const [, after = ''] = `\n${textOf(page)}`.split(`\n${heading}\n`)
  const [rank = ''] = heading.split(' ')
  const [section = ''] = after.split(`\n${rank} `)
  return [...section.matchAll(/(?:^\|.*\|$\n?)+/gm)].map(([table]) => table.trim().split('\n').slice(2).map(cellsOf))
}

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

/** A new folder inside the repository, from which a snippet can import the package. */
export function snippetFolder(): string {
  const folder = join(__dirname, '.snippets')
  mkdirSync(folder, { recursive: true })
  return mkdtempSync(join(folder, 'run-'))
}
