import { leadsToOwnDevice } from '../../protocol/redirect-uri'
import type { Answer } from '../answer'
import {
  checkDocument,
  differBySlash,
  notThere,
  readDocument,
  readPastCaches,
  webAddress,
  wellKnownOf,
} from '../document'
import { fault } from '../findings'
import { type Found, Skipped, type Visit } from '../visit'

const name = 'oauth-authorization-server'

/** The metadata of the authorization server (RFC 8414). */
export async function readServer(visit: Visit): Promise<Found['server']> {
  const [found] = visit.found('resource')
  const document = await find(visit, found.reachedAt)
  await checkDocument(visit, document)
  const answer = await checkIssuer(visit, found.issuer, document)
  const { members } = answer
  checkAbilities(visit, members)
  const endpoint = (member: string) => endpointOf(visit, member, members[member], found)
  const [authorization, token] = ['authorization_endpoint', 'token_endpoint'].map(endpoint)
  const [registration, revocation, keys] = ['registration_endpoint', 'revocation_endpoint', 'jwks_uri'].map(endpoint)
  if (!authorization) throw fault('member-missing', { ...answer, member: 'authorization_endpoint' })
  if (!token) throw fault('member-missing', { ...answer, member: 'token_endpoint' })
  return {
    issuer: found.issuer,
    authorization,
    token,
    registration,
    revocation,
    keys,
    documents: members.client_id_metadata_document_supported === true,
    basic: lists(members, 'token_endpoint_auth_methods_supported', 'client_secret_basic'),
    inForm: lists(members, 'token_endpoint_auth_methods_supported', 'client_secret_post'),
    namesIssuer: members.authorization_response_iss_parameter_supported === true,
    dpop: lists(members, 'dpop_signing_alg_values_supported', 'ES256'),
  }
}

/** Looks where RFC 8414 section 3.1 and OpenID Connect Discovery section 4 put it. */
async function find(visit: Visit, issuer: string): Promise<Answer> {
  const { wire } = visit
  const url = wellKnownOf(name, issuer)
  const below = issuer.replace(/\/$/, '')
  const further = [
    wellKnownOf('openid-configuration', issuer),
    `${below}/.well-known/openid-configuration`,
    `${below}/.well-known/${name}`,
  ]
  const atRoot = await readDocument(wire, url).catch((thrown: Error) => thrown)
  if (atRoot && !(atRoot instanceof Error)) return atRoot
  for (const other of further) {
    const elsewhere = other === url ? undefined : await readDocument(wire, other).catch(() => undefined)
    if (!elsewhere) continue
    if (other.endsWith(name)) visit.find('metadata-not-at-root', { found: other, url })
    else visit.note(`The metadata is that of OpenID Connect: ${other}`)
    return elsewhere
  }
  throw atRoot ?? notThere(url)
}

/** RFC 8414 section 3.3: the issuer must be, character by character, the one that has led here. @returns The document that is right. */
async function checkIssuer(visit: Visit, expected: string, document: Answer): Promise<Answer> {
  const { issuer } = document.members
  if (issuer === expected) return document
  if (typeof issuer !== 'string') throw fault('member-missing', { ...document, member: 'issuer' })
  const fresh = await readPastCaches(visit.wire, document.url)
  if (fresh && fresh.members.issuer === expected) {
    visit.find('cached-other', document)
    return fresh
  }
  if (!differBySlash(issuer, expected)) throw fault('issuer-differs', { value: issuer, expected })
  visit.find('issuer-slash', { value: issuer, expected })
  return document
}

/** What every assistant needs. Clients also refuse a list that is missing. */
function checkAbilities(visit: Visit, members: Record<string, unknown>): void {
  const needed = { response_types_supported: 'code', code_challenge_methods_supported: 'S256' }
  for (const [member, value] of Object.entries(needed))
    if (!lists(members, member, value)) visit.find('not-listed', { member, value })
  if (!lists(members, 'grant_types_supported', 'refresh_token')) visit.find('no-refresh', {})
  const hasWayIn = members.registration_endpoint !== undefined || members.client_id_metadata_document_supported === true
  if (!hasWayIn && visit.clientId === undefined) visit.find('no-way-in', {})
}

function lists(members: Record<string, unknown>, member: string, value: string): boolean {
  const list = members[member]
  return Array.isArray(list) && list.includes(value)
}

/** An endpoint, where it is reached: an app that does not know its own address names another. */
function endpointOf(visit: Visit, member: string, named: unknown, found: Found['resource']): string | undefined {
  const value = webAddress(named)
  if (value === undefined) return undefined
  const [own, reached] = [new URL(found.issuer), new URL(found.reachedAt)]
  const { protocol, host, hostname, origin } = new URL(value)
  const isOwn = origin === own.origin
  // What listens on the machine of the doctor trusts whoever can reach it there. No server may send the doctor to it.
  if (!isOwn && leadsToOwnDevice(hostname) && !leadsToOwnDevice(reached.hostname))
    throw fault('wrong-host', { member, value, host, expected: reached.host })
  // The scheme and host of the issuer have been judged already.
  if (protocol === 'http:' && !isOwn && reached.protocol === 'https:') visit.find('http-endpoint', { member, value })
  else if (host !== own.host) visit.note(`${member} is on another host: ${value}`)
  return isOwn || host === reached.host ? value.replace(origin, reached.origin) : value
}

// RFC 7518 sections 6.2.2, 6.3.2 and 6.4.
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']
// Behind a balancer that takes turns, two suffice. One that draws lots among two processes hides them once in eight runs.
const furtherReads = 3

/** The public keys that access tokens verify with (RFC 7517 section 5). */
export async function readKeys(visit: Visit): Promise<void> {
  const [{ keys: url }] = visit.found('server')
  if (url === undefined) throw new Skipped('The metadata has no jwks_uri.')
  const document = await readDocument(visit.wire, url)
  if (!document) throw notThere(url)
  await checkDocument(visit, document)
  const { keys } = document.members
  if (!Array.isArray(keys) || keys.length === 0) throw fault('no-keys', { url })
  const isPrivate = (key: object | null) => privateMembers.some((member) => member in (key ?? {}))
  if (keys.some((key) => typeof key === 'object' && isPrivate(key))) visit.find('private-keys', { url })
  for (let read = 0; read < furtherReads; read++) {
    const other = await readPastCaches(visit.wire, url)
    if (other && named(other.members.keys) !== named(keys)) throw fault('keys-differ', { url })
  }
}

/** Each key in one text. Processes may list them in another order while keys are replaced. */
function named(keys: unknown): string {
  return JSON.stringify(Array.isArray(keys) ? keys.map((key) => JSON.stringify(key)).sort() : keys)
}
