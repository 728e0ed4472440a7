import { writeFile } from 'node:fs/promises'
import { check } from './check'
import { type Options, optionsOf, usage } from './options'
import { report } from './report'
import { storiesOf } from './stories'
import { TokenEndpoint } from './token-endpoint'
import { takeTokens } from './tokens'
import { judge } from './verdict'

/** How much longer than without a busy server it may take. */
const allowance = 1.5

async function main(options: Options): Promise<void> {
  const { url, terms, source, clientId, resource, json } = options
  const plans = storiesOf(terms)
  const most = Math.ceil(allowance * plans.reduce((sum, { requests }) => sum + requests, 0))
  const longest = Math.max(...plans.map(({ wait }) => wait))
  process.stderr.write(
    `${plans.length} refresh tokens, each of a sign-in of its own, are used up. At most ${most} requests go to ${url.origin}${url.pathname}, ` +
      `and nowhere else, in a little more than ${longest} s.\n`,
  )
  const tokens = await takeTokens(source, plans.length, { clientId, clientSecret: process.env.CLIENT_SECRET })
  const endpoint = new TokenEndpoint(url, most, resource === undefined ? {} : { resource })
  const stories = await check(endpoint, plans, tokens)
  const verdict = judge(stories)
  const { sent: requests } = endpoint
  if (json !== undefined)
    await writeFile(json, `${JSON.stringify({ requests, terms, ...verdict, stories }, null, 1)}\n`)
  process.stdout.write(report(verdict))
  process.exitCode = verdict.undecided > 0 ? 2 : verdict.rows.some(({ kept, of }) => kept < of) ? 1 : 0
}

function fail(error: Error, help = ''): void {
  process.stderr.write(`${help}${error.message}\n`)
  process.exitCode = 2
}

function read(): Options | undefined {
  try {
    return optionsOf(process.argv.slice(2))
  } catch (error) {
    fail(error as Error, `${usage}\n`)
    return undefined
  }
}

const options = read()
if (options) main(options).catch(fail)
