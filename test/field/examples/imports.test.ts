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

describe('an example', () => {
  it.each(['src', 'scripts', 'bench', 'test/support'])('is not imported by anything in %s', (folder) => {
    const files = filesUnder(folder)
    expect(files.length).toBeGreaterThan(3)
    expect(files.filter((file) => /from '[./]+examples\//.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
  })
})
