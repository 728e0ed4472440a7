import type { CustomerSignInEvent } from 'customer-sign-in'

const indent = ' '.repeat(7)

/** Prints a line. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`)
}

let steps = 0

/** Begins a step with its title, and a sentence that says why it matters. */
export function step(title: string, why: string): void {
  steps += 1
  print(`\n${steps}. ${title}\n   ${why}\n`)
}

interface Sent extends RequestInit {
  method: string
  headers: Record<string, string>
}

/** Like `fetch`, but prints everything that goes over the wire. It does not follow redirects, so that they are printed too. */
export function shownFetch(who: 'client' | 'browser'): (url: string, sent: Sent) => Promise<Response> {
  return async (url, sent) => {
    showRequest(who, new URL(url), sent)
    const response = await fetch(url, { ...sent, redirect: 'manual' })
    await showResponse(response.clone())
    return response
  }
}

/** Prints the events that the host's `onEvent` receives, except for refusals, which the wire shows anyway. */
export function showEvent(event: CustomerSignInEvent): void {
  if (event.type === 'denied') return
  const more = event.type === 'replayed' ? `, ended: ${event.ended}` : event.type === 'error' ? `, ${event.error}` : ''
  print(`   (onEvent: ${event.type}${more})`)
}

/** Prints each name and value on a line of its own, with codes and tokens shortened. */
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

/** Shortens codes, refresh tokens and JWTs to their first and last characters. */
function shortened(text: string): string {
  return text.replace(
    /(csi[cr]_|eyJ)[\w.-]{20,}/g,
    (credential) => `${credential.slice(0, 12)}...${credential.slice(-4)}`,
  )
}
