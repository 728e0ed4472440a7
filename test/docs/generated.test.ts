import { byHand, withSections } from '../../scripts/docs-tables/page'
import { sections, varying } from '../../scripts/docs-tables/sections'
import { textOf } from './pages'

describe('the generated parts of the docs', () => {
  it.each(Object.entries(sections))('are as npm run docs writes them: %s', async (page, parts) => {
    expect(await withSections(textOf(page), parts, varying)).toBe(textOf(page))
  })

  it('are on no page unless something makes them', async () => {
    const page = 'By hand\n<!-- generated: unknown -->\nmade\n<!-- /generated -->\n'
    await expect(withSections(page, {})).rejects.toThrow('unknown')
    await expect(withSections('By hand\n', { missing: () => '' })).rejects.toThrow('missing')
  })

  it('are not counted as written by hand', () => {
    expect(byHand('a\n<!-- generated: b -->\nc\n<!-- /generated -->\nd\n')).toBe('a\nd\n')
  })
})
