import { leadsToOwnDevice } from '../../protocol/redirect-uri'
import { type Answer, checkOwn } from '../answer'
import { checkApiAcrossOrigins } from '../cross-origin'
import { wellKnownOf } from '../document'
import { fault } from '../findings'
import type { Found, Visit } from '../visit'
import type { Asked, Wire } from '../wire'

const clientInfo = { name: 'customer-sign-in doctor', version: '1' }

/** The first message of a client of MCP 2025-11-25. An API that is not MCP refuses it for lack of a token too. */
const initialize = message('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })

/** That of a client of MCP 2026-07-28, which has no session. */
const discover = message(
  'server/discover',
  {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': clientInfo,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
  { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'server/discover' },
)

function message(method: string, params: object, headers: Record<string, string> = {}): Asked {
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }
}

const read: Asked = { method: 'GET', headers: { Accept: 'application/json, text/event-stream' } }

/** The 401 that tells an assistant where to sign in (RFC 6750 section 3, RFC 9728 section 5.1). */
export async function askApi(visit: Visit): Promise<Found['api']> {
  const { address, wire } = visit
  const { protocol, hostname, port } = new URL(address)
  const posted = await wire.ask(address, initialize)
  if (protocol !== 'https:' && !leadsToOwnDevice(hostname) && !posted.redirect)
    visit.find('not-https', { url: address })
  const got = await wire.ask(address, read)
  if (protocol === 'https:' && port === '') await checkPlainHttp(visit, address.replace('https:', 'http:'))
  const postAsks = posted.status === 401
  if (!postAsks && got.status !== 401) await notChallenged(wire, posted.status === 405 ? got : posted)
  const [asked, asking, other] = postAsks ? [initialize, posted, got] : [read, got, posted]
  // The other of the two methods is also expected to ask for a token.
  if (other.status === 429) throw fault('rate-limited', other)
  if (other.status !== 401) visit.find(postAsks ? 'get-before-token' : 'post-before-token', other)
  return { asked, challenge: challengeOf(asking, visit) }
}

function challengeOf(answer: Answer, visit: Visit): Answer['challenge'] {
  const { challenge, header, isHtml } = answer
  if (header('www-authenticate') === undefined) {
    // The challenge of this library has a body of JSON.
    if (isHtml) visit.find('error-page', answer)
    visit.find('no-challenge', answer)
    return undefined
  }
  checkOwn(answer)
  if (!challenge) visit.find('challenge-not-bearer', answer)
  else if (challenge.resource_metadata === undefined) visit.find('no-metadata-address', answer)
  return challenge
}

/** @throws {Fault} that says why the API does not ask for a token. */
async function notChallenged(wire: Wire, answer: Answer): Promise<never> {
  checkOwn(answer)
  const { status } = answer
  if (status === 404 && answer.error === 'not_found') throw fault('company-unknown', answer)
  if (status === 404) {
    const { members } = await wire.ask(wellKnownOf('oauth-protected-resource', answer.url))
    throw fault(members.resource ? 'api-hidden' : 'api-not-found', answer)
  }
  if (status === 403) throw fault('api-forbidden', answer)
  if (status < 400) throw fault(answer.isHtml ? 'html-page' : 'api-open', answer)
  throw fault('unexpected-status', { ...answer, expected: 401 })
}

/** Whether the API also answers http, where others can read a token: http should redirect to https, or not answer. */
export async function checkPlainHttp(visit: Visit, url: string): Promise<void> {
  // Many firewalls drop what is sent to port 80.
  const answer = await visit.wire.ask(url, { timeLimit: 5_000 }).catch(() => undefined)
  if (answer && (answer.status < 300 || answer.status === 401)) visit.find('plain-http', answer)
}

/** As long as an access token with many claims, signed with RSA. */
const madeUpToken = `customer-sign-in-doctor.${'x'.repeat(3000)}`

/** Whether the `Authorization` header arrives (RFC 6750 section 2.1): only then does the 401 say that the token is invalid. */
export async function presentToken(visit: Visit): Promise<void> {
  const [{ asked }] = visit.found('api')
  const { address, wire } = visit
  const headers = { ...asked.headers, Authorization: `Bearer ${madeUpToken}` }
  const answer = await wire.ask(address, { ...asked, headers })
  if (isHeaderLimit(answer)) throw fault('header-limit', { ...answer, size: madeUpToken.length })
  checkOwn(answer)
  if (answer.status !== 401) throw fault('token-not-refused', answer)
  const error = answer.header('www-authenticate') === undefined ? answer.error : answer.challenge?.error
  if (!error) visit.find('authorization-dropped', answer)
  await checkApiAcrossOrigins(visit, address, asked)
}

function isHeaderLimit({ status, text }: Answer): boolean {
  return [414, 431, 494].includes(status) || (status === 400 && /header|cookie/i.test(text) && /large/i.test(text))
}

/** Sends the first request again, with the access token (RFC 6750 section 2.1), and asks an MCP server what it speaks. */
export async function callApi(visit: Visit): Promise<void> {
  const [{ asked }] = visit.found('api')
  const answer = await askWithToken(visit, asked)
  const { status, challenge } = answer
  const error = challenge?.error ?? answer.error
  const description = challenge?.error_description ?? answer.description
  if (status === 403 && error === 'insufficient_scope')
    throw fault('scope-insufficient', { ...answer, scope: challenge?.scope ?? '' })
  if (status === 401 || (status === 403 && challenge)) throw fault('token-rejected', { ...answer, error, description })
  checkOwn(answer)
  // JSON-RPC 2.0 section 5.1. The message itself is valid.
  const { code } = Object(answer.members.error)
  if (status === 400 && code === -32700) throw fault('body-read-before', answer)
  if (status === 403) throw fault('call-fails', answer)
  if (await speaksMcp(visit, asked, answer)) return
  if (status >= 400) visit.note(`The API let the token through, and answered the request with ${status}.`)
}

/** Whether the API is an MCP server. Says which versions of MCP it speaks. */
async function speaksMcp(visit: Visit, asked: Asked, answer: Answer): Promise<boolean> {
  if (asked !== initialize) return false
  const { protocolVersion } = Object(answer.members.result)
  const discovered = await askWithToken(visit, discover).catch(() => undefined)
  const { supportedVersions } = Object(discovered?.members.result)
  const ofSessions = [protocolVersion].filter((version) => typeof version === 'string')
  const ofToday = [supportedVersions].flat().filter((version) => typeof version === 'string')
  const all = [...ofSessions, ...ofToday]
  if (all.length === 0) return false
  visit.note(`The API speaks MCP ${all.join(' and ')}.`)
  if (ofSessions.length === 0) visit.note('Clients that speak only older versions cannot call it.')
  if (ofToday.length === 0) visit.note('Clients that speak only 2026-07-28 cannot call it.')
  return true
}

function askWithToken(visit: Visit, asked: Asked): Promise<Answer> {
  const [{ accessToken, isBound }] = visit.found('sign-in')
  const { address, key, wire } = visit
  const { method = 'GET' } = asked
  const proof = isBound && { DPoP: key.proof({ method, url: address, accessToken, now: Date.now() }) }
  const headers = { ...asked.headers, Authorization: `${isBound ? 'DPoP' : 'Bearer'} ${accessToken}`, ...proof }
  return wire.ask(address, { ...asked, headers })
}
