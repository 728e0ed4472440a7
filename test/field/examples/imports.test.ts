import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../../..')

/** The sources under a folder, without what is installed or built there. */
function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : filesUnder(path)
    return /\.m?[jt]s$/.test(entry.name) ? [path] : []
  })
}

/** The files under a folder that import from examples/. */
function importersUnder(folder: string): string[] {
  const files = filesUnder(folder)
  expect(files.length).toBeGreaterThan(3)
  return files.filter((file) => /from '[./]+examples\//.test(readFileSync(join(root, file), 'utf8')))
}

describe('an example', () => {
  it.each(['src', 'scripts', 'test/support'])('is not imported by anything in %s', (folder) => {
    expect(importersUnder(folder)).toEqual([])
  })

  it('is imported by the benchmark only where it measures the pool that the docs show', () => {
    expect(importersUnder('bench')).toEqual(['bench/servers/customer-sign-in.ts'])
  })
})
