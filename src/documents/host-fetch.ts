import { types } from 'node:util'
import { wrongAnswer } from '../configuration/configuration-error'
import { isLoopbackHost } from '../protocol/loopback'
import { temporarilyUnavailable } from '../protocol/oauth-error'
import { asError } from '../protocol/thrown'
import { bodyOf, checkPort, type FetchedDocument, type FetchGuard, ForbiddenFetch, fetching } from './guarded-fetch'

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

/**
 * Fetches a document with the host's own function.
 *
 * @throws {Error} if the function throws, or its body does. A {@link ForbiddenFetch} if trying again is of no use. An {@link OAuthError} if
 * the function has returned something else than a response.
 */
export function hostFetch(
  url: URL,
  hook: FetchMetadataDocumentHook,
  { allowLoopback, ports }: Pick<FetchGuard, 'allowLoopback' | 'ports'>,
): Promise<FetchedDocument> {
  return fetching(url, { byHost: true }, async (signal) => {
    if (!(allowLoopback && isLoopbackHost(url.hostname))) checkPort(url, { ports })
    const response = await ofHost(() => hook(url.href, signal))
    if (!isResponse(response)) throw temporarilyUnavailable(notAResponse(response), 'hook_failed')
    return await ofHost(() => readResponse(response, signal))
  })
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

async function readResponse(response: MetadataDocumentResponse, signal: AbortSignal): Promise<FetchedDocument> {
  const { status, headers, body, redirected } = response
  if (redirected) throw new ForbiddenFetch('fetchMetadataDocument has followed a redirect')
  // A host's own object may return promises, which must not be left alone.
  const given: unknown[] = ['content-type', 'cache-control'].map((name) => headers.get(name))
  const [type, cacheControl] = await Promise.all(given)
  return {
    status,
    headers: { 'content-type': textOf(type), 'cache-control': textOf(cacheControl) },
    body: status === 200 ? await bodyOf(bytesOf(body, signal)) : '',
  }
}

function notAResponse(given: unknown): Error {
  try {
    return wrongAnswer('fetchMetadataDocument', given, 'a Response')
  } catch (unreadable) {
    return asError(unreadable)
  }
}

function isResponse(given: unknown): given is MetadataDocumentResponse {
  try {
    const { status, headers } = given as Partial<MetadataDocumentResponse>
    return Number.isInteger(status) && typeof headers?.get === 'function'
  } catch {
    return false
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
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
