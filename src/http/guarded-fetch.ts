import type { LookupAddress, LookupOptions } from 'node:dns'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import type { NameLookup } from './name-lookup'
import { isLoopback, isPublic } from './public-address'

const maxBytes = 64 * 1024
const timeout = 5000
// Responses before the real one, such as 103 (RFC 8297): one or two are usual.
const maxInterim = 8

// The package's own, beside `src` and `dist`.
const { name: product, version }: { name: string; version: string } = require('../../package.json')

/** What a guarded fetch brings back. */
export interface Fetched {
  status: number
  headers: IncomingMessage['headers']
  /** Empty unless the status is 200. */
  body: string
}

/** Where a guarded fetch may go, and how it finds the way. */
export interface FetchGuard {
  /** Also to this machine itself, there at any port and with http, for development. */
  allowLoopback: boolean
  ports: readonly number[]
  lookUp: NameLookup
}

/** A fetch that leads where none may, or to more than one may bring: to try it again is of no use. */
export class ForbiddenFetch extends Error {}

/**
 * Fetches a public document that someone else has named, without becoming their way into the host's own network: every address
 * that the name resolves to is checked, and the connection goes to one that was checked. No redirects, no kept connections, 64 KiB at
 * most. It settles within 5 seconds, whatever the other side does.
 *
 * @throws {Error} saying why, for the operator; a {@link ForbiddenFetch} where no later try can go better.
 */
export async function guardedFetch(url: URL, guard: FetchGuard): Promise<Fetched> {
  const ending = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`It took longer than ${timeout / 1000} seconds`)), timeout)
  })
  try {
    return await Promise.race([fetched(url, guard, ending.signal), late])
  } finally {
    clearTimeout(timer)
    // Whatever is still under way: the look-up, the connection.
    ending.abort()
  }
}

async function fetched(url: URL, guard: FetchGuard, signal: AbortSignal): Promise<Fetched> {
  const addresses = await allowedAddresses(url, guard, signal)
  signal.throwIfAborted()
  const request = url.protocol === 'http:' && guard.allowLoopback ? httpRequest : httpsRequest
  const response = await responseTo(
    request(url, {
      agent: false,
      signal,
      headers: { Accept: 'application/json', 'User-Agent': `${product}/${version}` },
      lookup: (_name, options, done) => answerWith(addresses, options, done),
    }),
  )
  const { statusCode: status = 0, headers } = response
  return { status, headers, body: status === 200 ? await bodyOf(response) : '' }
}

/** All addresses of a URL's host. All must be allowed: a name with a public and a private address is somebody's attempt. */
async function allowedAddresses(
  { hostname, protocol, port }: URL,
  { allowLoopback, ports, lookUp }: FetchGuard,
  signal: AbortSignal,
): Promise<string[]> {
  const host = hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) ? [host] : await lookUp(host, signal)
  if (addresses.length === 0) throw new ForbiddenFetch(`${host} has no address`)
  if (allowLoopback && addresses.every(isLoopback)) return addresses
  const refused = addresses.find((address) => !isPublic(address))
  if (refused !== undefined) throw new ForbiddenFetch(`${host} is at ${refused}, which is not a public address`)
  const usedPort = Number(port) || (protocol === 'http:' ? 80 : 443)
  if (!ports.includes(usedPort)) throw new ForbiddenFetch(`Port ${usedPort} is not one of ${ports.join(', ')}`)
  return addresses
}

type LookupDone = (error: null, address: string | LookupAddress[], family?: number) => void

function answerWith(addresses: readonly string[], { all }: LookupOptions, done: LookupDone): void {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first] = found
  if (all || !first) done(null, found)
  else done(null, first.address, first.family)
}

function responseTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interim = 0
    request
      .on('response', resolve)
      .on('error', reject)
      // After 101, Node emits nothing else.
      .on('close', () => reject(new Error('The connection was closed without a response')))
      .on('information', () => {
        if (++interim > maxInterim) request.destroy(new Error(`More than ${maxInterim} interim responses came`))
      })
      .end()
  })
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > maxBytes) throw new ForbiddenFetch(`The document is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
