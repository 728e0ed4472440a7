import { parseArgs } from 'node:util'
import { sdks } from '../../../support/mcp-connection'
import { runBursts } from './run-bursts'
import { BurstSite, retryWindow } from './site'

const sizes = [2, 3, 4, 6, 8, 10, 13, 16]

const { values: options } = parseArgs({
  options: {
    /** How many bursts of each size to run for each SDK. */
    each: { type: 'string', default: '125' },
    /** Seed of the delays. Which request gets which delay also depends on the machine. */
    seed: { type: 'string', default: '1' },
  },
})

/** Prints how many bursts of parallel requests sign a customer out. The right number is 0. */
async function main(): Promise<void> {
  const [each, seed] = [Number(options.each), Number(options.seed)]
  if (!(each >= 1)) throw new Error(`--each must be a number from 1, not ${options.each}`)
  const site = await BurstSite.start({ seed })
  let signedOut = 0
  try {
    print(`refreshRetryWindow ${retryWindow} s, seed ${seed}`)
    for (const [version, connect] of sdks.filter(([name]) => name !== '1.17.0')) {
      for (const size of sizes) {
        const bursts = await runBursts(connect, site, Array(each).fill(size))
        const out = bursts.filter((burst) => burst.signedOut).length
        const refused = bursts.reduce((sum, burst) => sum + burst.refused, 0)
        const older = bursts.filter((burst) => burst.olderKept).length
        signedOut += out
        print(
          `MCP SDK ${version}, bursts of ${size}: ${bursts.length} bursts, ${out} signed out, ` +
            `${refused} requests refused, ${older} left an older token`,
        )
      }
    }
    for (const error of new Set(site.errors)) print(`error event: ${error}`)
  } finally {
    await site.stop()
  }
  if (signedOut > 0) process.exitCode = 1
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

// The SDKs print a warning at every sign-out.
console.warn = () => {}

// This also stops the Redis server and the host processes.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1))

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`)
  process.exitCode = 1
})
