import { furtherPages, leadsSomewhere, pages, textOf } from './pages'

describe('the links and pictures of the README and the docs', () => {
  it.each([...pages, ...furtherPages])('are not broken: %s', (page) => {
    const dead = linksOf(page).filter((link) => !leadsSomewhere(link, page))
    expect(dead).toEqual([])
  })

  it('reach every page from the index, and the index from the README', () => {
    const reached = linksOf('docs/README.md').map((link) => `docs/${link.split('#')[0]}`)
    const others = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
    expect(reached).toEqual(expect.arrayContaining(others))
    expect(linksOf('README.md')).toEqual(expect.arrayContaining(['docs/README.md', 'CHANGELOG.md']))
  })
})

/** The targets of the links and pictures of a page inside this repository. */
function linksOf(page: string): string[] {
  const prose = textOf(page).replace(/^```.*?^```$/gms, '')
  return [...prose.matchAll(/\]\(([^)]+)\)|\bsrc(?:set)?="([^"]+)"/g)]
    .map(([, link, picture = '']) => link ?? picture)
    .filter((link) => !link.startsWith('https://'))
}
