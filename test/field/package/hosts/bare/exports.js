import { createRequire } from 'node:module'
import { join } from 'node:path'

const require = createRequire(import.meta.url)
const { name, exports } = require('customer-sign-in/package.json')
const names = {}
for (const subpath of Object.keys(exports)) {
  // OpenTelemetry's entry point has nothing without its peer.
  if (subpath.endsWith('.json') || subpath === './opentelemetry') continue
  const entry = join(name, subpath)
  names[entry] = { required: Object.keys(require(entry)), imported: Object.keys(await import(entry)) }
}
process.stdout.write(JSON.stringify(names))
