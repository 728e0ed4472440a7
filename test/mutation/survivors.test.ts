import { readFileSync } from 'node:fs'
import { readResults, tableOf } from './results'
import { readSurvivors } from './survivors'

describe('the list of mutants that survive', () => {
  it('names existing lines, each with a reason', () => {
    for (const [file, survivors] of Object.entries(readSurvivors())) {
      const lines = readFileSync(file, 'utf8').split('\n')
      const known = new Set(lines.map((line) => line.trim()))
      expect(survivors.filter(({ line, reason }) => !known.has(line) || reason === '')).toEqual([])
    }
  })
})

describe('the results in the README', () => {
  it('are those of the last run', () => {
    expect(readFileSync('test/mutation/README.md', 'utf8')).toContain(tableOf(readResults()))
  })
})
