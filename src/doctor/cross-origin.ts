import type { Answer } from './answer'
import { shownUrl } from './printable'
import type { Visit } from './visit'
import type { Asked } from './wire'

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
  visit: Visit,
  url: string,
  { send = true, ...call }: CrossOrigin & { send?: boolean | undefined },
): Promise<void> {
  const preflight = await askFirst(visit, url, call)
  if (preflight.status < 200 || preflight.status > 299)
    visit.find('preflight-refused', { url: shownUrl(url), status: String(preflight.status) })
  else checkPreflight(preflight, call.asks, visit)
  if (!send) return
  const answer = await visit.wire.ask(url, { ...call, headers: { ...call.headers, Origin: origin } })
  checkReadable(answer, visit)
}

/**
 * The same for the host's API, where CORS is the host's choice: without it, only clients in a browser cannot connect. What is wrong is CORS
 * that works halfway.
 */
export async function checkApiAcrossOrigins(visit: Visit, url: string, call: Asked): Promise<void> {
  const asks = ['authorization', 'content-type', 'mcp-protocol-version']
  const preflight = await askFirst(visit, url, { ...call, asks })
  const answer = await visit.wire.ask(url, { ...call, headers: { ...call.headers, Origin: origin } })
  const allows = [preflight, answer].map((each) => each.header('access-control-allow-origin') !== undefined)
  if (!allows.includes(true)) {
    visit.note('The API has no CORS, so clients in a browser cannot call it. Assistants on servers and devices can.')
    return
  }
  if (preflight.status < 200 || preflight.status > 299)
    visit.find('preflight-refused', { url: shownUrl(url), status: String(preflight.status) })
  else checkPreflight(preflight, asks, visit)
  checkReadable(answer, visit)
  const exposed = listed(answer.header('access-control-expose-headers'))
  const hasChallenge = answer.status === 401 && answer.header('www-authenticate') !== undefined
  if (hasChallenge && !exposed.includes('www-authenticate') && !exposed.includes('*'))
    visit.find('challenge-not-exposed', { request: answer.request })
}

function askFirst({ wire }: Visit, url: string, { method = 'GET', asks }: CrossOrigin): Promise<Answer> {
  const headers = { Origin: origin, 'Access-Control-Request-Method': method }
  const asked = { 'Access-Control-Request-Headers': asks.join(',') }
  return wire.ask(url, { method: 'OPTIONS', headers: { ...headers, ...asked } })
}

function checkPreflight(preflight: Answer, asks: readonly string[], visit: Visit): void {
  const url = shownUrl(preflight.url)
  const allowed = preflight.header('access-control-allow-headers')
  if (preflight.header('access-control-allow-origin') === undefined)
    visit.find('preflight-no-cors', { url, header: 'Access-Control-Allow-Origin' })
  else if (allowed === undefined) visit.find('preflight-no-cors', { url, header: 'Access-Control-Allow-Headers' })
  else {
    checkOrigin(preflight, visit)
    // A star does not stand for Authorization (Fetch section 4.10).
    const isAllowed = (name: string) =>
      listed(allowed).includes(name) || (listed(allowed).includes('*') && name !== 'authorization')
    for (const header of asks) if (!isAllowed(header)) visit.find('preflight-headers', { url, header })
  }
}

function checkReadable(answer: Answer, visit: Visit): void {
  if (answer.header('access-control-allow-origin') === undefined) visit.find('no-cors', { request: answer.request })
  else checkOrigin(answer, visit)
}

function checkOrigin(answer: Answer, visit: Visit): void {
  const { request } = answer
  const value = answer.header('access-control-allow-origin') ?? ''
  if (value.includes(',')) visit.find('cors-twice', { request, value })
  else if (value !== '*' && value !== origin) visit.find('cors-other-origin', { request, value })
}

function listed(header: string | undefined): string[] {
  return (header ?? '').split(',').map((name) => name.trim().toLowerCase())
}
