import { parseArgs } from 'node:util'
import { runNemesis } from './campaign'
import { defectNames } from './hosts/defects'
import { nemesesOf, nemesisNamed } from './nemeses'
import type { CampaignOptions } from './options'
import { type ReportedRun, report } from './report'
import { storeKinds } from './stores/campaign-store'

const { values } = parseArgs({
  options: {
    nemesis: { type: 'string', multiple: true },
    seconds: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    clients: { type: 'string', default: '120' },
    window: { type: 'string', default: '300' },
    tolerance: { type: 'string', default: '10' },
    'store-timeout': { type: 'string', default: '2' },
    store: { type: 'string', default: 'redis' },
    defect: { type: 'string' },
  },
})

/** Runs the nemeses one after the other, prints the table, and fails on any violation. */
async function main(): Promise<void> {
  const options = campaignOptions()
  const chosen = values.nemesis?.map(nemesisNamed) ?? nemesesOf(options.store)
  const results: ReportedRun[] = []
  for (const nemesis of chosen) {
    const { history, ...result } = await runNemesis(nemesis, options)
    process.stderr.write(`${nemesis.name}: ${result.violations.length} violations\n`)
    results.push(result.violations.length > 0 ? { ...result, file: history.save(nemesis.name) } : result)
  }
  process.stdout.write(report(results))
  if (results.some(({ violations }) => violations.length > 0)) process.exitCode = 1
}

function campaignOptions(): CampaignOptions {
  const { store, defect } = values
  return {
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    clients: Number(values.clients),
    window: Number(values.window),
    tolerance: Number(values.tolerance),
    hostTimeout: Number(values['store-timeout']),
    store: oneOf(storeKinds, store),
    ...(defect !== undefined && { defect: oneOf(defectNames, defect) }),
  }
}

/** @throws {Error} if it is none of them. */
function oneOf<Name extends string>(names: readonly Name[], given: string): Name {
  const found = names.find((name) => name === given)
  if (found !== undefined) return found
  throw new Error(`"${given}" is none of: ${names.join('; ')}`)
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
