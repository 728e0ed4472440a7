import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApi } from './description'

// Writes the OpenAPI description of the endpoints. A test says whether it is up to date.
writeFileSync(join(__dirname, '../../docs/openapi.json'), openApi())
