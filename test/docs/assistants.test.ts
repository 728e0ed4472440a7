import { assistants } from '../field/assistants/assistants'
import { registrationLengthsOf } from '../field/assistants/registration-lengths'
import { registrationsTableOf } from '../field/assistants/table'
import { textOf } from './pages'

describe('docs/assistants.md', () => {
  it('has the lengths of the ids of assistants that register, to a few characters (npm run docs)', () => {
    const rows = (table = '') => table.split('\n').map((row) => row.split(' | '))
    const now = rows(registrationsTableOf(assistants))
    expect(now.length).toBeGreaterThan(20)
    for (const [index, [name, ...lengths]] of rows(generated('registrations')).entries()) {
      const [nameNow, ...lengthsNow] = now[index] ?? []
      expect(name).toBe(nameNow)
      for (const [column, length] of lengths.map((text) => Number.parseInt(text, 10)).entries()) {
        if (index > 1) expect(Math.abs(length - Number.parseInt(lengthsNow[column] ?? '', 10))).toBeLessThanOrEqual(6)
      }
    }
  })

  it('has no assistant whose id is longer than 190 characters, or whose authorization request is longer than 2,000', () => {
    for (const { id, authorizeUrl } of registrationLengthsOf(assistants)) {
      expect(id).toBeLessThanOrEqual(190)
      expect(authorizeUrl).toBeLessThanOrEqual(2000)
    }
  })
})

function generated(name: string): string | undefined {
  const [, table] =
    new RegExp(`<!-- generated: ${name} -->\\n\\n(.*?)\\n\\n<!-- /generated -->`, 's').exec(
      textOf('docs/assistants.md'),
    ) ?? []
  return table
}
