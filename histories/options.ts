import { parseArgs } from 'node:util'
import type { Terms } from './stories'
import type { Source } from './tokens'

export const usage = `npm run check-server -- <token endpoint> --client-id <id> (--tokens <file> | --command <command>)

  --tokens <file>      a refresh token in each line, each of a sign-in of its own; or JSON, with refresh_token and client_id
  --command <command>  prints another refresh token each time
  --client-id <id>     the client of the tokens; its secret, if it has one, is in CLIENT_SECRET
  --resource <url>     the resource of every request (RFC 8707)
  --window <seconds>   how long the server says that it answers a repeat; default 0
  --waits <list>       after how many seconds a client repeats a request; default 1,60
  --sizes <list>       how many requests a burst has; default 2,4,8,16
  --rounds <count>     how often each story is played; default 3
  --json <file>        writes the verdict and the histories
`

const lateness = 15

/** What the command line says. */
export interface Options {
  url: URL
  terms: Terms
  source: Source
  clientId: string
  resource: string | undefined
  json: string | undefined
}

/** @throws {Error} that says what is wrong. */
export function optionsOf(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      tokens: { type: 'string' },
      command: { type: 'string' },
      'client-id': { type: 'string' },
      resource: { type: 'string' },
      window: { type: 'string', default: '0' },
      waits: { type: 'string', default: '1,60' },
      sizes: { type: 'string', default: '2,4,8,16' },
      rounds: { type: 'string', default: '3' },
      json: { type: 'string' },
    },
  })
  const { tokens, command, resource, json } = values
  if ((tokens === undefined) === (command === undefined)) throw new Error('Give one of --tokens and --command')
  if (values['client-id'] === undefined) throw new Error('--client-id is missing')
  const terms = {
    // A thief comes a little later than the server's last answer to a repeat.
    late: number('window', values.window, 0, 86_400) + lateness,
    waits: values.waits.split(',').map((wait) => number('waits', wait, 0, 86_400)),
    sizes: values.sizes.split(',').map((size) => number('sizes', size, 2, 64)),
    rounds: number('rounds', values.rounds, 1, 20),
  }
  return {
    url: addressOf(positionals),
    terms,
    source: { tokens, command },
    clientId: values['client-id'],
    resource,
    json,
  }
}

function addressOf([address, ...others]: string[]): URL {
  if (address === undefined || others.length > 0) throw new Error('Give the address of one token endpoint')
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isLoopback = url && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback)) return url
  throw new Error(`"${address}" is not an https URL, or an http URL of this machine`)
}

function number(name: string, given: string, least: number, most: number): number {
  const value = Number(given)
  if (Number.isInteger(value) && value >= least && value <= most && given.trim() !== '') return value
  throw new Error(`--${name}: "${given}" is not a whole number from ${least} to ${most}`)
}
