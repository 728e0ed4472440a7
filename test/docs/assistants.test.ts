import { assistants } from '../assistants/assistants'
import { realClients } from '../assistants/real-clients'
import { clientsTableOf, tableOf } from '../assistants/table'
import { textOf } from './pages'

describe('docs/assistants.md', () => {
  it('has the table of the assistants that the tests play (npm run docs:assistants)', () => {
    expect(generated('assistants')).toBe(tableOf(assistants))
  })

  it('has the table of the clients that the tests run (npm run docs:assistants)', () => {
    expect(generated('clients')).toBe(clientsTableOf(realClients))
  })
})

function generated(name: string): string | undefined {
  const [, table] =
    new RegExp(`<!-- ${name} -->\\n(.*)\\n<!-- /${name} -->`, 's').exec(textOf('docs/assistants.md')) ?? []
  return table
}
