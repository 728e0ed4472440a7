import { parseArgs } from 'node:util'
import { WrongUse } from '../commands/wrong-use'
import { isUrl } from '../protocol/resource'
import { examine } from './examine'
import { stepText, summaryText } from './report'
import { OwnBrowser } from './sign-in-window'

export const doctorUsage = `  doctor URL        Say why assistants do not connect to this API. Registers a client named
                    "customer-sign-in doctor". Exit code 1 if something is wrong.
    --json                print the result as JSON
    --login               open a browser to sign in, and go on to a call, a refresh and a revocation
    --client-id ID        use this client, whose redirect URI is http://127.0.0.1/callback, and register none
`

/** `customer-sign-in doctor`. @returns The exit code. */
export async function doctor(args: string[]): Promise<number> {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { json: flag, login: flag, 'client-id': text }
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
  const address = addressIn(positionals)
  const print: (words: string) => unknown = values.json ? () => {} : (words) => process.stdout.write(words)
  const shown = new Set<string>()
  const window = values.login ? await OwnBrowser.listen() : undefined
  try {
    print(`${address}\n\n`)
    const report = await examine(address, {
      clientId: values['client-id'],
      window,
      onStep: (step) => print(stepText(step, shown)),
    })
    if (values.json) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
    print(summaryText(report))
    return report.good ? 0 : 1
  } finally {
    window?.close()
  }
}

/** @returns The address as browsers spell it. */
function addressIn([address, ...more]: string[]): string {
  if (address === undefined || more.length > 0) throw new WrongUse('doctor takes one address, that of your API')
  const url = isUrl(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new WrongUse('The address must begin with https:// (or http://)')
  if (url.username || url.password || url.hash) throw new WrongUse('The address must have no user name and no #')
  return url.href
}
