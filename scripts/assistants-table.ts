import { readFileSync, writeFileSync } from 'node:fs'
import { assistants } from '../test/field/assistants/assistants'
import { realClients } from '../test/field/assistants/real-clients'
import { clientsTableOf, registrationsTableOf, tableOf } from '../test/field/assistants/table'

// Writes the tables of the assistants that the tests play, of the clients that they run, and of the lengths of ids, into docs/assistants.md.
const path = 'docs/assistants.md'
const page = readFileSync(path, 'utf8')
writeFileSync(
  path,
  page
    .replace(/(?<=<!-- assistants -->\n).*(?=\n<!-- \/assistants -->)/s, () => tableOf(assistants))
    .replace(/(?<=<!-- clients -->\n).*(?=\n<!-- \/clients -->)/s, () => clientsTableOf(realClients))
    .replace(/(?<=<!-- registrations -->\n).*(?=\n<!-- \/registrations -->)/s, () => registrationsTableOf(assistants)),
)
