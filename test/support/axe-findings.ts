import axe, { type AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** The violations that axe finds on a page, and what it cannot decide. */
export async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations, incomplete, passes } = await page.evaluate<AxeResults>('axe.run()')
  expect(passes.map(({ id }) => id)).toContain('color-contrast')
  return [...violations, ...incomplete].map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}
