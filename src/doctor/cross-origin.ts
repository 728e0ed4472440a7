import type { Answer } from './answer'
import type { Visit } from './visit'
import type { Asked } from './wire'

/** The origin of a client in a browser. No page is there. */
const origin = 'https://browser-client.example'

/** What a client in a browser sends to an MCP server beside `Accept`: the last three are of MCP (2026-07-28, Streamable HTTP). */
const askedOfApis = ['authorization', 'content-type', 'mcp-method', 'mcp-name', 'mcp-protocol-version']

/**
 * Calls an endpoint as a client in a browser does: first the preflight, then the request (Fetch section 3.2).
 *
 * @param asks The headers for which a browser asks first, in lower case.
 */
export async function checkAcrossOrigins(visit: Visit, url: string, call: Asked, asks: string[]): Promise<void> {
  await checkPreflight(visit, url, call, asks)
  checkReadable(await askThen(visit, url, call), visit)
}

/** The same without the request. */
export async function checkPreflight(visit: Visit, url: string, call: Asked, asks: string[]): Promise<void> {
  judgePreflight(await askFirst(visit, url, call, asks), asks, visit)
}

/**
 * The same for the host's API, where CORS is the host's choice: without it, only clients in a browser cannot connect. What is wrong is CORS
 * that works halfway. MCP also asks a server to refuse the origins that it does not know.
 */
export async function checkApiAcrossOrigins(visit: Visit, url: string, call: Asked): Promise<void> {
  const preflight = await askFirst(visit, url, call, askedOfApis)
  const answer = await askThen(visit, url, call)
  if (answer.status === 403)
    return visit.note(
      `The API refuses the origin ${origin}. So what its CORS does for the origins that it allows was not examined.`,
    )
  visit.note(
    `The API does not refuse the origin ${origin}. If it is an MCP server, name the origins that may call it: \`allowedOrigins\`.`,
  )
  if ([preflight, answer].every(({ header }) => header('access-control-allow-origin') === undefined))
    return visit.note(
      'The API has no CORS, so clients in a browser cannot call it. Assistants on servers and devices can.',
    )
  judgePreflight(preflight, askedOfApis, visit)
  checkReadable(answer, visit)
  const exposed = listed(answer, 'access-control-expose-headers')
  const hasChallenge = answer.status === 401 && answer.header('www-authenticate') !== undefined
  if (hasChallenge && !exposed.includes('www-authenticate') && !exposed.includes('*'))
    visit.find('challenge-not-exposed', answer)
}

function askFirst({ wire }: Visit, url: string, { method = 'GET' }: Asked, asks: string[]): Promise<Answer> {
  const asked = { 'Access-Control-Request-Method': method, 'Access-Control-Request-Headers': asks.join(',') }
  return wire.ask(url, { method: 'OPTIONS', headers: { Origin: origin, ...asked } })
}

function askThen({ wire }: Visit, url: string, call: Asked): Promise<Answer> {
  return wire.ask(url, { ...call, headers: { ...call.headers, Origin: origin } })
}

function judgePreflight(preflight: Answer, asks: string[], visit: Visit): void {
  const { status, header } = preflight
  const needed = ['Access-Control-Allow-Origin', 'Access-Control-Allow-Headers']
  const missing = needed.find((name) => header(name.toLowerCase()) === undefined)
  const how = status < 200 || status > 299 ? `with ${status}` : missing && `without ${missing}`
  if (how !== undefined) {
    visit.find('preflight-refused', { ...preflight, how })
    return
  }
  checkReadable(preflight, visit)
  const allowed = listed(preflight, 'access-control-allow-headers')
  // A star does not stand for Authorization (Fetch section 4.10).
  const isAllowed = (name: string) => allowed.includes(name) || (allowed.includes('*') && name !== 'authorization')
  for (const header of asks) if (!isAllowed(header)) visit.find('preflight-headers', { ...preflight, header })
}

function checkReadable(answer: Answer, visit: Visit): void {
  const value = answer.header('access-control-allow-origin')
  if (value === undefined) visit.find('no-cors', answer)
  else if (value.includes(',')) visit.find('cors-twice', { ...answer, value })
  else if (value !== '*' && value !== origin) visit.find('cors-other-origin', { ...answer, value })
}

function listed({ header }: Answer, name: string): string[] {
  return (header(name) ?? '').split(',').map((each) => each.trim().toLowerCase())
}
