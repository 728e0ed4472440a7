import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { furtherPages, pages, root, textOf } from './pages'

describe('the links and pictures of the README and the docs', () => {
  it.each([...pages, ...furtherPages])('lead somewhere: %s', (page) => {
    const dead = linksOf(page).filter((link) => !leadsSomewhere(link, page))
    expect(dead).toEqual([])
  })

  it('reach every page from the README', () => {
    const reached = linksOf('README.md').map((link) => link.split('#')[0])
    expect(reached).toEqual(expect.arrayContaining(pages.filter((page) => page !== 'README.md')))
  })
})

/** What the links and pictures of a page lead to inside this repository. */
function linksOf(page: string): string[] {
  const prose = textOf(page).replace(/^```.*?^```$/gms, '')
  return [...prose.matchAll(/\]\(([^)]+)\)|\bsrc(?:set)?="([^"]+)"/g)]
    .map(([, link, picture = '']) => link ?? picture)
    .filter((link) => !link.startsWith('https://'))
}

function leadsSomewhere(link: string, page: string): boolean {
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
