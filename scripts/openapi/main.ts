import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApi } from './description'

// Writes the OpenAPI description of the endpoints. With `--check`, only says whether it is up to date.
const path = join(__dirname, '../../docs/openapi.json')
const written = openApi()
if (!process.argv.includes('--check')) writeFileSync(path, written)
else if (readFileSync(path, 'utf8') !== written) {
  process.stdout.write('docs/openapi.json is not up to date: npm run docs\n')
  process.exitCode = 1
}
