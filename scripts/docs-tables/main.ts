import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withSections } from './page'
import { sections, varying } from './sections'

// Writes the generated parts of the pages in docs/. With `--check`, only says which pages are not up to date.
async function main(): Promise<void> {
  const isCheck = process.argv.includes('--check')
  for (const [page, parts] of Object.entries(sections)) {
    const path = join(__dirname, '../..', page)
    const before = readFileSync(path, 'utf8')
    const after = await withSections(before, parts, isCheck ? varying : [])
    if (after === before) continue
    if (!isCheck) writeFileSync(path, after)
    process.stdout.write(`${page} ${isCheck ? 'is not up to date: npm run docs' : 'was written'}\n`)
    if (isCheck) process.exitCode = 1
  }
}

void main()
