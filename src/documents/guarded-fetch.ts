import type { LookupAddress, LookupOptions } from 'node:dns'
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { withinTime } from '../host/call-host'
import { errorWord } from '../protocol/oauth-error'
import { timedOut } from '../protocol/thrown'
import { fetches } from '../telemetry/channels'
import type { FetchMessage } from '../telemetry/messages'
import type { NameLookup } from './name-lookup'
import { isLoopback, isPublic } from './public-address'

const maxBytes = 64 * 1024
const timeout = 5000
// Interim responses such as 103 (RFC 8297). One or two are usual.
const maxInterim = 8

// This package's own package.json, next to `src` and `dist`.
const { name: product, version }: { name: string; version: string } = require('../../package.json')

/** The response of a guarded fetch. */
export interface FetchedDocument {
  status: number
  headers: IncomingMessage['headers']
  /** Empty unless the status is 200. */
  body: string
}

/** What a guarded fetch may connect to. */
export interface FetchGuard {
  /** Whether it may connect to this machine, at any port and with http. For development. */
  allowLoopback: boolean
  /** The ports of public addresses that it may connect to. */
  ports: readonly number[]
  lookUp: NameLookup
}

/** A fetch of a forbidden address, or of too large a document. Trying again is of no use. */
export class ForbiddenFetch extends Error {
  override name = 'ForbiddenFetch'
}

/**
 * A look-up that gave no address, or one that is not public. The server of that name has said nothing: name servers that know only the
 * names of their own network answer so for every other name.
 */
class UnusableLookup extends Error {
  override name = 'UnusableLookup'
}

/**
 * Fetches a public document from a URL that a stranger has chosen, and keeps the stranger out of the host's own network: it checks every
 * address that the name resolves to, and connects to an address that it has checked. It follows no redirects, reuses no connection, and
 * reads 64 KiB at most. It settles within 5 seconds, whatever the other server does.
 *
 * @throws {Error} with the reason, for the operator. A {@link ForbiddenFetch} if trying again is of no use, which a name cannot cause:
 * another look-up may give other addresses.
 */
export function guardedFetch(url: URL, guard: FetchGuard): Promise<FetchedDocument> {
  return fetching(url, { byHost: false }, (signal) => fetchDocument(url, guard, signal))
}

/**
 * Fetches a document within 5 seconds, and tells the channel `customer-sign-in:fetch` of it.
 *
 * @param work Its signal is aborted when the time is over, and also once the document has been read.
 */
export function fetching(
  { origin, pathname }: URL,
  { byHost }: Pick<FetchMessage, 'byHost'>,
  work: (signal: AbortSignal) => Promise<FetchedDocument>,
): Promise<FetchedDocument> {
  if (!fetches.isOn) return limited(work)
  const message: FetchMessage = { url: origin + pathname, byHost }
  return fetches.trace(
    message,
    async () => {
      const fetched = await limited(work)
      message.status = fetched.status
      return fetched
    },
    (error) => {
      message.error = errorWord(error)
    },
  )
}

async function limited(work: (signal: AbortSignal) => Promise<FetchedDocument>): Promise<FetchedDocument> {
  const ending = new AbortController()
  const late = () => Promise.reject(timedOut(`It took longer than ${timeout / 1000} seconds`))
  try {
    return await withinTime(work(ending.signal), timeout, late)
  } finally {
    // Ends the look-up or the connection if it is still under way.
    ending.abort()
  }
}

async function fetchDocument(url: URL, guard: FetchGuard, signal: AbortSignal): Promise<FetchedDocument> {
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

/** All addresses of a URL's host. All must be allowed: a name that has both a public and a private address is an attack. */
async function allowedAddresses(url: URL, guard: FetchGuard, signal: AbortSignal): Promise<string[]> {
  const { hostname } = url
  const { allowLoopback, lookUp } = guard
  const host = hostname.replace(/^\[|\]$/g, '')
  const isName = isIP(host) === 0
  const addresses = isName ? await lookUp(host, signal) : [host]
  if (addresses.length === 0) throw new UnusableLookup(`${host} has no address`)
  if (allowLoopback && addresses.every(isLoopback)) return addresses
  const refused = addresses.find((address) => !isPublic(address))
  if (refused !== undefined) {
    const Refusal = isName ? UnusableLookup : ForbiddenFetch
    throw new Refusal(`${host} is at ${refused}, which is not a public address`)
  }
  checkPort(url, guard)
  return addresses
}

/** @throws {ForbiddenFetch} if the port of a URL is not one that the host allows. */
export function checkPort({ protocol, port }: URL, { ports }: Pick<FetchGuard, 'ports'>): void {
  const usedPort = Number(port) || (protocol === 'http:' ? 80 : 443)
  if (!ports.includes(usedPort)) throw new ForbiddenFetch(`Port ${usedPort} is not one of ${ports.join(', ')}`)
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

/** @throws {ForbiddenFetch} if the body is larger than 64 KiB. */
export async function bodyOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    // An empty chunk counts too, so that no stream of a host's can go on for ever.
    length += Math.max(chunk.length, 1)
    if (length > maxBytes) throw new ForbiddenFetch(`The document is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
