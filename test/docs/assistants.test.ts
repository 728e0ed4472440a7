import { assistants } from '../assistants/assistants'
import { tableOf } from '../assistants/table'
import { textOf } from './pages'

describe('docs/assistants.md', () => {
  it('has the table of the assistants that the tests play (npm run docs:assistants)', () => {
    const [, table] = /<!-- assistants -->\n(.*)\n<!-- \/assistants -->/s.exec(textOf('docs/assistants.md')) ?? []
    expect(table).toBe(tableOf(assistants))
  })
})
