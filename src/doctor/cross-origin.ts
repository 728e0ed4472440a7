import type { Answer } from './answer'
import { shownUrl } from './printable'
import type { Notes } from './report'
import type { Asked, Wire } from './wire'

/** The origin of a client in a browser. No page is there. */
const origin = 'https://browser-client.example'

interface CrossOrigin extends Asked {
  /** The headers for which a browser asks first, in lower case. */
  asks: readonly string[]
}

/**
 * Calls an endpoint as a client in a browser does: first the preflight, then the request (Fetch section 3.2).
 *
 * @param call.headers Those of the real request. Without `send`, only the preflight is sent.
 */
export async function checkAcrossOrigins(
  notes: Notes,
  wire: Wire,
  url: string,
  { send = true, ...call }: CrossOrigin & { send?: boolean | undefined },
): Promise<void> {
  const preflight = await askFirst(wire, url, call)
  if (preflight.status < 200 || preflight.status > 299)
    notes.find('preflight-refused', { url: shownUrl(url), status: String(preflight.status) })
  else checkPreflight(preflight, call.asks, notes)
  if (!send) return
  const answer = await wire.ask(url, { ...call, headers: { ...call.headers, Origin: origin } })
  checkReadable(answer, notes)
}

/**
 * The same for the host's API, where CORS is the host's choice: without it, only clients in a browser cannot connect. What is wrong is CORS
 * that works halfway.
 */
export async function checkApiAcrossOrigins(notes: Notes, wire: Wire, url: string, call: Asked): Promise<void> {
  const asks = ['authorization', 'content-type', 'mcp-protocol-version']
  const preflight = await askFirst(wire, url, { ...call, asks })
  const answer = await wire.ask(url, { ...call, headers: { ...call.headers, Origin: origin } })
  const allows = [preflight, answer].map((each) => each.header('access-control-allow-origin') !== undefined)
  if (!allows.includes(true)) {
    notes.note('The API has no CORS, so clients in a browser cannot call it. Assistants on servers and devices can.')
    return
  }
  if (preflight.status < 200 || preflight.status > 299)
    notes.find('preflight-refused', { url: shownUrl(url), status: String(preflight.status) })
  else checkPreflight(preflight, asks, notes)
  checkReadable(answer, notes)
  const exposed = listed(answer.header('access-control-expose-headers'))
  const hasChallenge = answer.status === 401 && answer.header('www-authenticate') !== undefined
  if (hasChallenge && !exposed.includes('www-authenticate') && !exposed.includes('*'))
    notes.find('challenge-not-exposed', { request: answer.request })
}

function askFirst(wire: Wire, url: string, { method = 'GET', asks }: CrossOrigin): Promise<Answer> {
  const headers = { Origin: origin, 'Access-Control-Request-Method': method }
  const asked = { 'Access-Control-Request-Headers': asks.join(',') }
  return wire.ask(url, { method: 'OPTIONS', headers: { ...headers, ...asked } })
}

function checkPreflight(preflight: Answer, asks: readonly string[], notes: Notes): void {
  const url = shownUrl(preflight.url)
  const allowed = preflight.header('access-control-allow-headers')
  if (preflight.header('access-control-allow-origin') === undefined)
    notes.find('preflight-no-cors', { url, header: 'Access-Control-Allow-Origin' })
  else if (allowed === undefined) notes.find('preflight-no-cors', { url, header: 'Access-Control-Allow-Headers' })
  else {
    checkOrigin(preflight, notes)
    // A star does not stand for Authorization (Fetch section 4.10).
    const isAllowed = (name: string) =>
      listed(allowed).includes(name) || (listed(allowed).includes('*') && name !== 'authorization')
    for (const header of asks) if (!isAllowed(header)) notes.find('preflight-headers', { url, header })
  }
}

function checkReadable(answer: Answer, notes: Notes): void {
  if (answer.header('access-control-allow-origin') === undefined) notes.find('no-cors', { request: answer.request })
  else checkOrigin(answer, notes)
}

function checkOrigin(answer: Answer, notes: Notes): void {
  const { request } = answer
  const value = answer.header('access-control-allow-origin') ?? ''
  if (value.includes(',')) notes.find('cors-twice', { request, value })
  else if (value !== '*' && value !== origin) notes.find('cors-other-origin', { request, value })
}

function listed(header: string | undefined): string[] {
  return (header ?? '').split(',').map((name) => name.trim().toLowerCase())
}
