import { readFileSync, writeFileSync } from 'node:fs'
import { assistants } from '../test/assistants/assistants'
import { tableOf } from '../test/assistants/table'

// Writes the table of the assistants that the tests play into docs/assistants.md.
const path = 'docs/assistants.md'
const page = readFileSync(path, 'utf8')
writeFileSync(
  path,
  page.replace(/(?<=<!-- assistants -->\n).*(?=\n<!-- \/assistants -->)/s, () => tableOf(assistants)),
)
