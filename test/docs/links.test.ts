import { furtherPages, leadsSomewhere, pages, textOf } from './pages'

describe('the links and pictures of the README and the docs', () => {
  it.each([...pages, ...furtherPages])('are not broken: %s', (page) => {
    const dead = linksOf(page).filter((link) => !leadsSomewhere(link, page))
    expect(dead).toEqual([])
  })

  it('reach every page from the README', () => {
    const reached = linksOf('README.md').map((link) => link.split('#')[0])
    expect(reached).toEqual(expect.arrayContaining(pages.filter((page) => page !== 'README.md')))
  })
})

/** The targets of the links and pictures of a page inside this repository. */
function linksOf(page: string): string[] {
  const prose = textOf(page).replace(/^```.*?^```$/gms, '')
  return [...prose.matchAll(/\]\(([^)]+)\)|\bsrc(?:set)?="([^"]+)"/g)]
    .map(([, link, picture = '']) => link ?? picture)
    .filter((link) => !link.startsWith('https://'))
}
