import type { CustomerSignInEvent } from 'customer-sign-in'

const indent = ' '.repeat(7)

/** A line of the walk. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`)
}

let steps = 0

/** Begins a step: its title, and in a sentence why it matters. */
export function step(title: string, why: string): void {
  steps += 1
  print(`\n${steps}. ${title}\n   ${why}\n`)
}

interface Sent extends RequestInit {
  method: string
  headers: Record<string, string>
}

/** `fetch`, with a look at everything that goes over the wire. Redirects are not followed: they are worth a look of their own. */
export function shownFetch(who: 'client' | 'browser'): (url: string, sent: Sent) => Promise<Response> {
  return async (url, sent) => {
    showRequest(who, new URL(url), sent)
    const response = await fetch(url, { ...sent, redirect: 'manual' })
    await showResponse(response.clone())
    return response
  }
}

/** What the host's `onEvent` is told meanwhile. Refusals are seen on the wire as it is. */
export function showEvent(event: CustomerSignInEvent): void {
  if (event.type === 'denied') return
  const more = event.type === 'replayed' ? `, ended: ${event.ended}` : event.type === 'error' ? `, ${event.error}` : ''
  print(`   (onEvent: ${event.type}${more})`)
}

/** Names and values beneath each other, with codes and tokens shortened. */
export function showValues(values: Iterable<[string, unknown]>): void {
  const lines = [...values].map(([name, value]): [string, string] => [name, inOneLine(value)])
  const width = Math.max(0, ...lines.map(([name]) => name.length))
  for (const [name, value] of lines) print(`${indent}${name.padEnd(width)}  ${shortened(value)}`)
}

function showRequest(who: string, url: URL, { method, headers, body }: Sent): void {
  print(`   ${who} -> ${method} ${url.pathname}`)
  if (headers.authorization) print(`${indent}Authorization: ${shortened(headers.authorization)}`)
  showValues(url.searchParams)
  if (body instanceof URLSearchParams) showValues(body)
}

async function showResponse(response: Response): Promise<void> {
  print(`   host -> ${response.status} ${response.statusText}`)
  const location = response.headers.get('Location')
  const challenge = response.headers.get('WWW-Authenticate')
  if (challenge) print(`${indent}WWW-Authenticate: ${challenge}`)
  if (location) {
    const { origin, pathname, searchParams } = new URL(location)
    print(`${indent}Location: ${origin}${pathname}`)
    showValues(searchParams)
  }
  const type = response.headers.get('Content-Type') ?? ''
  if (type.includes('json')) showValues(Object.entries((await response.json()) as object))
  else if (type.includes('html')) print(`${indent}(a page for the customer)`)
}

function inOneLine(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Codes, refresh tokens and JWTs by their first and last characters. */
function shortened(text: string): string {
  return text.replace(
    /(csi[cr]_|eyJ)[\w.-]{20,}/g,
    (credential) => `${credential.slice(0, 12)}...${credential.slice(-4)}`,
  )
}
