import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP } from 'node:net'

const mostBytes = 64 * 1024
const timeout = 5000

/** What a guarded fetch brings back: the status is 200. */
export interface Fetched {
  body: string
  headers: IncomingMessage['headers']
}

/** Where a guarded fetch may go. */
export interface FetchGuard {
  /** Also to this machine itself, and there with http, for development. */
  allowLoopback: boolean
}

/**
 * Fetches a public document that someone else has named, without becoming their way into the host's own network: every address
 * that the name resolves to is checked, and the connection goes to the one that was checked. No redirects, no kept connections, 64
 * KiB and 5 seconds at most.
 *
 * @throws {Error} saying why, for the operator.
 */
export async function guardedFetch(url: URL, { allowLoopback }: FetchGuard): Promise<Fetched> {
  const allowed = (address: string) => isPublic(address) || (allowLoopback && isLoopback(address))
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // A literal address is connected to without a look-up.
  if (isIP(host) && !allowed(host)) throw new Error(`${host} is not a public address`)
  const request = url.protocol === 'http:' && allowLoopback ? httpRequest : httpsRequest
  const signal = AbortSignal.timeout(timeout)
  const get = request(url, {
    agent: false,
    signal,
    headers: { Accept: 'application/json' },
    lookup: (name, options, done) => guardedLookup(name, options, allowed, done),
  })
  try {
    const response = await responseTo(get)
    if (response.statusCode !== 200) throw new Error(`The status is ${response.statusCode}`)
    return { body: await bodyOf(response), headers: response.headers }
  } finally {
    get.destroy()
  }
}

type LookupDone = (error: Error | null, address: string | LookupAddress[], family?: number) => void

function guardedLookup(
  name: string,
  options: LookupOptions,
  allowed: (address: string) => boolean,
  done: LookupDone,
): void {
  lookup(name, { ...options, all: true }, (error, addresses) => {
    const [first] = addresses ?? []
    // All of them: a name with a public and a private address is somebody's attempt.
    const refused = addresses?.find(({ address }) => !allowed(address))
    if (error || !first) done(error ?? new Error(`${name} has no address`), '')
    else if (refused) done(new Error(`${name} resolves to ${refused.address}, which is not a public address`), '')
    else if (options.all) done(null, addresses)
    else done(null, first.address, first.family)
  })
}

function responseTo(get: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get.on('response', resolve).on('error', reject).end()
  })
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > mostBytes) throw new Error(`The document is larger than ${mostBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const loopback = blockList(['127.0.0.0/8', '::1/128'])

// The special-purpose registries of IANA (RFC 6890): whatever is not reachable from everywhere.
const special = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

// The addresses of the internet, without the parts of them that lead elsewhere: translation to IPv4, tunnels, documentation.
const globalUnicast = blockList(['2000::/3'])
const specialSix = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

function isPublic(address: string): boolean {
  return isIP(address) === 4
    ? !special.check(address, 'ipv4')
    : globalUnicast.check(address, 'ipv6') && !specialSix.check(address, 'ipv6')
}

function isLoopback(address: string): boolean {
  return loopback.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
