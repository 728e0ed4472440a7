import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { types } from 'node:util'
import { wrongAnswer } from '../configuration/configuration-error'
import { withinTime } from '../host/call-host'
import {
  errorWord,
  type OAuthError,
  type OAuthErrorOptions,
  oauthError,
  temporarilyUnavailable,
} from '../protocol/oauth-error'
import type { ErrorDescription } from '../protocol/oauth-error-codes'
import { isLoopbackHost } from '../protocol/redirect-uri'
import { asError, timedOut } from '../protocol/thrown'
import { fetches } from '../telemetry/channels'
import type { FetchMessage } from '../telemetry/messages'
import { isLoopback, isPublic, type NameLookup } from './addresses'

const maxBytes = 64 * 1024
const timeout = 5000
// Interim responses such as 103 (RFC 8297). One or two are usual.
const maxInterim = 8

// This package's own package.json, next to `src` and `dist`.
const { name: product, version }: { name: string; version: string } = require('../../package.json')

/** What a host's own fetch of a metadata document resolves to: a web `Response`, or anything that has these members of one. */
export interface MetadataDocumentResponse {
  /** Only 200 is a document. */
  readonly status: number
  /** Of these, `Content-Type` and `Cache-Control` are read. */
  readonly headers: { get(name: string): string | null }
  /** A stream of bytes, such as a `ReadableStream`. */
  readonly body: object | null
  /** Whether redirects were followed. Such a response is refused. */
  readonly redirected?: boolean | undefined
}

/**
 * Fetches the metadata document of a client, or the keys at its `jwks_uri`, in the host's own way, for example through a proxy.
 *
 * The address comes from a stranger. The host makes sure that no request reaches its own network: this library then checks only the
 * port. It still reads at most 64 KiB, waits at most 5 seconds, and takes nothing but a response with the status 200 and JSON.
 *
 * @useDeclaredType
 *
 * @example
 * (url, signal) => fetch(url, { signal, redirect: 'manual', dispatcher: new ProxyAgent('http://proxy.internal:3128') })
 */
export type FetchMetadataDocumentHook = (url: string, signal: AbortSignal) => Promise<MetadataDocumentResponse>

/** The response of a guarded fetch. */
export interface FetchedDocument {
  status: number
  headers: IncomingMessage['headers']
  /** Empty unless the status is 200. */
  body: string
}

/** What a guarded fetch may connect to, and how. */
export interface FetchGuard {
  /** Whether it may connect to this machine, at any port and with http. For development. */
  allowLoopback: boolean
  /** The ports of public addresses that it may connect to. */
  ports: readonly number[]
  lookUp: NameLookup
  /** Fetches in place of this library. */
  byHost?: FetchMetadataDocumentHook | undefined
}

// Without the byte order mark that some servers send.
const utf8 = new TextDecoder()

/** A fetch of a forbidden address, or of too large a document. Trying again is of no use. */
export class ForbiddenFetch extends Error {
  override name = 'ForbiddenFetch'
}

/** The document cannot be had now, which says nothing about the document itself: a copy of it may be used. */
export class DocumentAway extends Error {
  /** Seconds. */
  readonly retryAfter: number
  /** Whether too many others are being fetched, which strangers can cause. */
  readonly isFlood: boolean

  constructor(reason: string, { retryAfter = 5, isFlood = false, cause }: Partial<DocumentAway> = {}) {
    super(reason, { cause })
    this.retryAfter = retryAfter
    this.isFlood = isFlood
  }

  /** The error for a request that needs the document. The client keeps what it has, and tries again. */
  answer(
    description: ErrorDescription<'temporarily_unavailable'>,
    options: Pick<OAuthErrorOptions, 'reason' | 'detail'>,
  ): OAuthError {
    const headers = { 'Retry-After': String(this.retryAfter) }
    return oauthError('temporarily_unavailable', description, { headers, ...options })
  }
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
 * reads 64 KiB at most. It settles within 5 seconds, whatever the other server does, and tells the channel `customer-sign-in:fetch`.
 *
 * @throws {Error} with the reason, for the operator. A {@link ForbiddenFetch} if trying again is of no use, which a name cannot cause:
 * another look-up may give other addresses. An {@link OAuthError} if the host's own function has returned something else than a response.
 */
export function guardedFetch(url: URL, guard: FetchGuard): Promise<FetchedDocument> {
  const { byHost } = guard
  const message: FetchMessage = { url: url.origin + url.pathname, byHost: byHost !== undefined }
  const work = async () => {
    const ending = new AbortController()
    const late = () => Promise.reject(timedOut(`It took longer than ${timeout / 1000} seconds`))
    try {
      const fetching = byHost ? hostDocument(url, guard, byHost, ending.signal) : document(url, guard, ending.signal)
      const fetched = await withinTime(fetching, timeout, late)
      message.status = fetched.status
      return fetched
    } finally {
      // Ends the look-up or the connection if it is still under way.
      ending.abort()
    }
  }
  return fetches.trace(message, work, (error) => {
    message.error = errorWord(error)
  })
}

async function document(url: URL, guard: FetchGuard, signal: AbortSignal): Promise<FetchedDocument> {
  const addresses = await allowedAddresses(url, guard, signal)
  signal.throwIfAborted()
  const request = url.protocol === 'http:' && guard.allowLoopback ? httpRequest : httpsRequest
  const response = await responseTo(
    request(url, {
      agent: false,
      signal,
      headers: { Accept: 'application/json', 'User-Agent': `${product}/${version}` },
      lookup: lookupOf(addresses),
    }),
  )
  const { statusCode: status = 0, headers } = response
  return { status, headers, body: status === 200 ? await bodyOf(response) : '' }
}

/** All addresses of a URL's host. All must be allowed: a name that has both a public and a private address is an attack. */
async function allowedAddresses(url: URL, guard: FetchGuard, signal: AbortSignal): Promise<string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isName = isIP(host) === 0
  const addresses = isName ? await guard.lookUp(host, signal) : [host]
  if (addresses.length === 0) throw new UnusableLookup(`${host} has no address`)
  if (guard.allowLoopback && addresses.every(isLoopback)) return addresses
  const refused = addresses.find((address) => !isPublic(address))
  if (refused !== undefined) {
    const Refusal = isName ? UnusableLookup : ForbiddenFetch
    throw new Refusal(`${host} is at ${refused}, which is not a public address`)
  }
  checkPort(url, guard)
  return addresses
}

/** @throws {ForbiddenFetch} if the port of a URL is not one that the host allows. */
function checkPort({ protocol, port }: URL, { ports }: FetchGuard): void {
  const usedPort = Number(port) || (protocol === 'http:' ? 80 : 443)
  if (!ports.includes(usedPort)) throw new ForbiddenFetch(`Port ${usedPort} is not one of ${ports.join(', ')}`)
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  const [first] = found
  return (_name, { all }, done) => (all || !first ? done(null, found) : done(null, first.address, first.family))
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
async function bodyOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    // An empty chunk counts too, so that no stream of a host's can go on for ever.
    length += Math.max(chunk.length, 1)
    if (length > maxBytes) throw new ForbiddenFetch(`The document is larger than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return utf8.decode(Buffer.concat(chunks))
}

/** Fetches a document with the host's own function. */
async function hostDocument(url: URL, guard: FetchGuard, hook: FetchMetadataDocumentHook, signal: AbortSignal) {
  if (!(guard.allowLoopback && isLoopbackHost(url.hostname))) checkPort(url, guard)
  const response = checkedResponse(await ofHost(() => hook(url.href, signal)))
  return ofHost(() => readResponse(response, signal))
}

/** Turns whatever the host's code throws into an Error that is not one of this library's. */
async function ofHost<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (thrown) {
    const error = asError(thrown)
    if (error instanceof ForbiddenFetch) throw error
    throw new Error(error.message, { cause: error.cause })
  }
}

function checkedResponse(given: unknown): MetadataDocumentResponse {
  try {
    const { status, headers } = Object(given)
    if (Number.isInteger(status) && typeof headers?.get === 'function') return given as MetadataDocumentResponse
    throw wrongAnswer('clients.fetch', given, 'a Response')
  } catch (wrongOrUnreadable) {
    throw temporarilyUnavailable(wrongOrUnreadable, 'hook_failed')
  }
}

async function readResponse(response: MetadataDocumentResponse, signal: AbortSignal): Promise<FetchedDocument> {
  const { status, headers, body, redirected } = response
  if (redirected) throw new ForbiddenFetch('clients.fetch has followed a redirect')
  // A host's own object may return promises, which must not be left alone.
  const given: unknown[] = ['content-type', 'cache-control'].map((name) => headers.get(name))
  const [type, cacheControl] = (await Promise.all(given)).map((value) =>
    typeof value === 'string' ? value : undefined,
  )
  return {
    status,
    headers: { 'content-type': type, 'cache-control': cacheControl },
    body: status === 200 ? await bodyOf(bytesOf(body, signal)) : '',
  }
}

/** The bytes of a stream, until the signal is aborted. */
async function* bytesOf(body: object | null, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (body === null) return
  for await (const chunk of body as AsyncIterable<unknown>) {
    signal.throwIfAborted()
    if (!types.isUint8Array(chunk)) throw new Error('The body is not a stream of bytes')
    yield chunk
  }
}
