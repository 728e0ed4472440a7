import { readFileSync, writeFileSync } from 'node:fs'
import { assistants } from '../test/assistants/assistants'
import { realClients } from '../test/assistants/real-clients'
import { clientsTableOf, tableOf } from '../test/assistants/table'

// Writes the tables of the assistants that the tests play, and of the clients that they run, into docs/assistants.md.
const path = 'docs/assistants.md'
const page = readFileSync(path, 'utf8')
writeFileSync(
  path,
  page
    .replace(/(?<=<!-- assistants -->\n).*(?=\n<!-- \/assistants -->)/s, () => tableOf(assistants))
    .replace(/(?<=<!-- clients -->\n).*(?=\n<!-- \/clients -->)/s, () => clientsTableOf(realClients)),
)
