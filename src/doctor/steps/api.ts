import { leadsToOwnDevice } from '../../protocol/loopback'
import { wellKnownOf } from '../addresses'
import type { Answer } from '../answer'
import { bearerChallenge, type Challenge } from '../challenge'
import { interference, placeOf } from '../judge'
import { type Fault, fault, type Notes } from '../report'
import type { Asked, Wire } from '../wire'
import { checkPlainHttp } from './plain-http'

/** What the API has told the doctor. */
export interface ApiFound {
  /** The request that the API answers with its challenge. */
  asked: Asked & { method: string }
  /** Undefined if there was none. */
  challenge: Challenge | undefined
}

/** The first message of an MCP client. An API that is not MCP refuses it for lack of a token too. */
const initialize: Asked & { method: string } = {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'customer-sign-in doctor', version: '1' },
    },
  }),
}

const read: Asked & { method: string } = { method: 'GET', headers: { Accept: 'application/json, text/event-stream' } }

/** The 401 that tells an assistant where to sign in (RFC 6750 section 3, RFC 9728 section 5.1). */
export async function askApi(notes: Notes, wire: Wire, address: string): Promise<ApiFound> {
  const { protocol, hostname, port } = new URL(address)
  const posted = await wire.ask(address, initialize)
  if (protocol !== 'https:' && !leadsToOwnDevice(hostname) && !posted.redirect)
    notes.find('not-https', { url: address })
  const got = await wire.ask(address, read)
  if (protocol === 'https:' && port === '') await checkPlainHttp(notes, wire, address.replace('https:', 'http:'))
  if (posted.status === 401) {
    noteOtherMethod('get-before-token', got, notes)
    return { asked: initialize, challenge: challengeOf(posted, notes) }
  }
  if (got.status !== 401) throw await notChallenged(wire, posted.status === 405 ? got : posted)
  noteOtherMethod('post-before-token', posted, notes)
  return { asked: read, challenge: challengeOf(got, notes) }
}

/** The other of the two methods is also expected to ask for a token. */
function noteOtherMethod(code: 'get-before-token' | 'post-before-token', answer: Answer, notes: Notes): void {
  const { request, status } = answer
  if (status === 429) throw fault('rate-limited', { request })
  if (status !== 401) notes.find(code, { status: String(status) })
}

function challengeOf(answer: Answer, notes: Notes): Challenge | undefined {
  const { request, status } = answer
  const header = answer.header('www-authenticate')
  // The challenge of this library has a body of JSON.
  if (answer.isHtml && header === undefined) notes.find('error-page', { request, status: String(status) })
  if (header === undefined) {
    notes.find('no-challenge', { request })
    return undefined
  }
  const replaced = interference(answer)
  if (replaced) throw replaced
  const challenge = bearerChallenge(header)
  if (!challenge) notes.find('challenge-not-bearer', { request, scheme: header.split(/[ ,]/, 1)[0] ?? '' })
  else if (challenge.resource_metadata === undefined) notes.find('no-metadata-address', { request })
  return challenge
}

/** Why the API does not ask for a token. */
async function notChallenged(wire: Wire, answer: Answer): Promise<Fault> {
  const { request, status } = answer
  const { path } = placeOf(answer.url)
  const replaced = interference(answer)
  if (replaced) return replaced
  if (status === 404 && answer.error === 'not_found') return fault('company-unknown', { request })
  if (status === 404) {
    const metadata = await wire.ask(wellKnownOf('oauth-protected-resource', answer.url))
    return metadata.json?.resource ? fault('api-hidden', { request }) : fault('api-not-found', { request, path })
  }
  if (status === 403) return fault('api-forbidden', { request })
  if (answer.isHtml && status < 400) return fault('html-page', { request, ...placeOf(answer.url) })
  if (status < 400) return fault('api-open', { request, status: String(status) })
  return fault('unexpected-status', { request, status: String(status), expected: '401' })
}
