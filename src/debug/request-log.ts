import { AsyncLocalStorage } from 'node:async_hooks'
import { inspect } from 'node:util'
import type { CustomerSignInEvent } from '../contract/customer-sign-in-event'
import { messageOf } from '../protocol/thrown'
import { fetches, guardedRequests, listen, requests, storeCalls } from '../telemetry/channels'
import type { GuardMessage, RequestMessage } from '../telemetry/messages'

const name = 'customer-sign-in'
const maxCharacters = 300
const onOneLine = { breakLength: Number.POSITIVE_INFINITY, customInspect: false }

let isLogging = false

/** Begins to log the requests of this process to stderr, if the environment variable `DEBUG` asks for that. */
export function logRequestsIfAsked(): void {
  if (isLogging || !asksFor(name, process.env.DEBUG ?? '')) return
  isLogging = true
  logRequests((lines) => process.stderr.write(lines))
}

/**
 * Logs each request when it has ended: what it was, each call of a store, each fetch, and the reason for its end. The channels carry no code,
 * token, verifier, cookie or query, so neither does the log.
 *
 * @param write Gets the lines of one request at once.
 * @returns Ends the log.
 */
export function logRequests(write: (lines: string) => void): () => void {
  const storage = new AsyncLocalStorage<string[]>()
  const note = (line: string) => storage.getStore()?.push(`  ${printable(line)}`)
  const end = (line: string) => write(`${[`${name} ${printable(line)}`, ...(storage.getStore() ?? [])].join('\n')}\n`)
  const asyncEnd = (message: RequestMessage | GuardMessage) => end(requestLine(message))
  const ends = [
    listen<CustomerSignInEvent>('customer-sign-in:event', (event) => note(eventLine(event))),
    requests.bind(storage, () => []),
    guardedRequests.bind(storage, () => []),
    requests.subscribe({ asyncEnd }),
    guardedRequests.subscribe({ asyncEnd }),
    storeCalls.subscribe({
      asyncEnd: ({ store, method, outcome, error, duration }) =>
        note(`${store}.${method} ${time(duration)}${after(': ', error ?? outcome)}`),
    }),
    fetches.subscribe({
      asyncEnd: ({ url, status, error, duration }) => note(`fetch of ${url} ${time(duration)}: ${error ?? status}`),
    }),
  ]
  return () => {
    for (const stop of ends) stop()
  }
}

function requestLine(message: RequestMessage | GuardMessage): string {
  const { method, path, status, outcome, duration, tenantKey, tenantId, clientId } = message
  // A verifier sees only the token.
  const request = method === undefined ? '' : `${method} ${path} `
  const judge = 'endpoint' in message ? message.endpoint : message.guard
  // Where the tenantStore has failed, nobody knows whether there is such a tenant.
  const isNone = tenantId === undefined && outcome !== 'failed'
  const whose = `${after(isNone ? ', no tenant ' : ', tenant ', tenantKey)}${after(', client ', clientId)}`
  return `${request}${status ?? outcome} in ${time(duration)}: ${judge}${whose}`
}

function eventLine(event: CustomerSignInEvent): string {
  if (event.type === 'denied') {
    const detail = Object.keys(event.detail).length > 0 ? inspect(event.detail, onOneLine) : undefined
    return `${event.error}: ${event.description} (reason: ${event.reason})${after(' ', detail)}`
  }
  if (event.type === 'error') return `${event.where} failed (reason: ${event.reason}): ${messageOf(event.error)}`
  if (event.type === 'replayed')
    return `event: replayed ${event.credential}, which ${event.ended ? 'ended' : 'did not end'} the grant`
  return `event: ${event.type}${event.type === 'revoked' ? ` (reason: ${event.reason})` : ''}`
}

function time(milliseconds = 0): string {
  return `${milliseconds.toFixed(1)} ms`
}

/** The value behind a text, if there is one. */
function after(text: string, value: string | number | undefined): string {
  return value === undefined ? '' : `${text}${value}`
}

/** Strangers choose parts of it, and it goes to a terminal. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7E]/g, '?').slice(0, maxCharacters)
}

/**
 * Whether the environment variable `DEBUG` asks for a log with this name, as the package `debug` reads it: names with commas or white space
 * between them, `*` for any text, and `-` in front of a name that is left out.
 */
export function asksFor(name: string, names: string): boolean {
  const patterns = names.split(/[\s,]+/).filter(Boolean)
  const expression = (pattern: string) => pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
  const isNamed = (pattern: string) => new RegExp(`^${expression(pattern)}$`).test(name)
  const leftOut = patterns.filter((pattern) => pattern.startsWith('-')).map((pattern) => pattern.slice(1))
  return !leftOut.some(isNamed) && patterns.some(isNamed)
}
