import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { knownAssistants } from '../../src/assistants/assistants'
import { doctorUsage } from '../../src/doctor/command'
import { findings } from '../../src/doctor/findings'
import { type Report, stepText, stepTitles } from '../../src/doctor/report'
import { publicDocument } from '../../src/doctor/steps/registration'
import { blockUnder, root, tableUnder, textOf } from './pages'

const page = 'docs/doctor.md'
const bare = (cell: string) => cell.replaceAll('`', '')

describe('docs/doctor.md', () => {
  it('has each step, in order', () => {
    const named = tableUnder('## Steps', page).map(([step = '']) => bare(step))
    expect(named).toEqual(Object.keys(stepTitles))
  })

  it('has each option', () => {
    const options = tableUnder('## Running it', page).map(([option = '']) => bare(option))
    expect(options).toEqual([...doctorUsage.matchAll(/^ {4}(--\S+(?: [A-Z]+)?)/gm)].map(([, option]) => option))
  })

  it('shows a step in JSON as it is printed', () => {
    const { steps } = JSON.parse(blockUnder('### In a script', page).code) as Report
    const [step] = steps
    expect(step && textOf(page)).toContain(step && stepText(step))
    expect(step?.findings[0]?.says).toBe(
      findings['no-challenge'].says.replace('{request}', 'POST https://assistant.example/v1/acme/mcp'),
    )
    expect(step?.findings[0]?.remedy).toBe(findings['no-challenge'].remedy)
  })

  it('names the document that is tried, of which the library has a copy', () => {
    const known = knownAssistants.find(({ document }) => document.client_id === publicDocument.id)
    expect(known?.document.redirect_uris).toContain(publicDocument.redirectUri)
    expect(tableUnder('## Steps', page).find(([step]) => step === '`document`')?.[1]).toContain(
      known?.document.client_name,
    )
  })
})

describe('the tests of the doctor', () => {
  it('have a case for each finding', () => {
    const folder = join(root, 'test/unit/doctor')
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    // Its findings are made by the test itself.
    const cases = names.filter((name) => name !== 'visit.test.ts')
    const tests = cases.map((name) => readFileSync(join(folder, name), 'utf8'))
    const text = tests.join('')
    const untested = Object.keys(findings).filter((code) => !new RegExp(`[:'] ?${code}['\`]`).test(text))
    expect(untested).toEqual([])
  })
})
