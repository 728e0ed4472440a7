import { leadsToOwnDevice } from '../../protocol/redirect-uri'
import type { Answer } from '../answer'
import {
  checkDocument,
  checkOrigin,
  differBySlash,
  lists,
  notThere,
  readDocument,
  readPastCaches,
  webAddress,
  wellKnownOf,
} from '../document'
import { fault } from '../findings'
import { type Found, Skipped, type Visit } from '../visit'

const resourceName = 'oauth-protected-resource'
const serverName = 'oauth-authorization-server'

/** The metadata to which the challenge leads (RFC 9728 sections 3 and 5.1). */
export async function readResource(visit: Visit): Promise<Found['resource']> {
  const [{ challenge }] = visit.found('api')
  const document = await findResource(visit, challenge?.resource_metadata)
  await checkDocument(visit, document)
  const { members } = await checkResource(visit, document)
  const [issuer] = Array.isArray(members.authorization_servers) ? members.authorization_servers.map(webAddress) : []
  if (issuer === undefined) throw fault('member-missing', { ...document, member: 'authorization_servers' })
  const resource = typeof members.resource === 'string' ? members.resource : visit.address
  return { resource, issuer, reachedAt: reached(visit, issuer) }
}

/** @returns Undefined if the challenge names none, or one on an address at which the app is not reached. */
function announcedAddress(visit: Visit, value: string | undefined): string | undefined {
  const announced = webAddress(value)
  if (value !== undefined && announced === undefined)
    visit.find('member-missing', { request: 'the API without a token', member: 'resource_metadata' })
  if (announced === undefined || !checkOrigin(visit, 'resource_metadata', announced, visit.address)) return undefined
  const { pathname: given, origin } = new URL(visit.address)
  const known = new URL(announced).pathname.replace(`/.well-known/${resourceName}`, '')
  if (known === given || known === '' || !given.endsWith(known)) return announced
  const prefix = given.slice(0, -known.length)
  throw fault('prefix-stripped', { given, known, prefix, base: origin + prefix })
}

/** The document where the challenge says it is, or where clients look for it if that is wrong. */
async function findResource(visit: Visit, named: string | undefined): Promise<Answer> {
  const { address, wire } = visit
  const announced = announcedAddress(visit, named)
  const expected = wellKnownOf(resourceName, address)
  const places = [...new Set([announced ?? expected, expected, wellKnownOf(resourceName, new URL(address).origin)])]
  for (const url of places) {
    const document = await readDocument(wire, url)
    if (!document) continue
    if (announced !== undefined && url !== announced) visit.find('metadata-path', { value: announced, found: url })
    return document
  }
  const url = announced ?? expected
  throw named === undefined ? fault('no-metadata', { url }) : notThere(url)
}

/** RFC 9728 section 3.3: the resource must be the address that the client has used. @returns The document that is right. */
async function checkResource(visit: Visit, document: Answer): Promise<Answer> {
  const { address, wire } = visit
  const value = webAddress(document.members.resource)
  if (value === undefined) {
    visit.find('member-missing', { ...document, member: 'resource' })
    return document
  }
  if (isSame(value, address)) return document
  const fresh = await readPastCaches(wire, document.url)
  if (fresh && isSame(String(fresh.members.resource), address)) {
    visit.find('cached-other', document)
    return fresh
  }
  if (differBySlash(value, address)) visit.find('resource-slash', { value, address })
  else if (checkOrigin(visit, 'resource', value, address)) visit.find('resource-differs', { value, address })
  return document
}

/** An address without a path is spelled with and without a slash. */
function isSame(one: string, other: string): boolean {
  return one === other || (new URL(other).pathname === '/' && differBySlash(one, other))
}

/** Where the authorization server is reached, if the app believes itself to be elsewhere. */
function reached(visit: Visit, issuer: string): string {
  const [named, api] = [new URL(issuer), new URL(visit.address)]
  const isElsewhere = named.hostname !== api.hostname && !visit.seen.some(({ code }) => code === 'wrong-host')
  if (isElsewhere && named.protocol === 'https:') {
    visit.note(`The authorization server is on another host than the API: ${issuer}`)
    return issuer
  }
  const isReached = checkOrigin(visit, 'authorization_servers', issuer, visit.address)
  return isReached ? issuer : named.href.replace(named.origin, api.origin)
}

/** The metadata of the authorization server (RFC 8414). */
export async function readServer(visit: Visit): Promise<Found['server']> {
  const [found] = visit.found('resource')
  const document = await findServer(visit, found.reachedAt)
  await checkDocument(visit, document)
  const answer = await checkIssuer(visit, found.issuer, document)
  const { members } = answer
  checkAbilities(visit, members)
  const endpoint = (member: string) => endpointOf(visit, member, members[member], found)
  const [authorization, token] = ['authorization_endpoint', 'token_endpoint'].map(endpoint)
  const [registration, revocation, keys] = ['registration_endpoint', 'revocation_endpoint', 'jwks_uri'].map(endpoint)
  if (!authorization) throw fault('member-missing', { ...answer, member: 'authorization_endpoint' })
  if (!token) throw fault('member-missing', { ...answer, member: 'token_endpoint' })
  return { issuer: found.issuer, authorization, token, registration, revocation, keys, members }
}

/** Looks where RFC 8414 section 3.1 and OpenID Connect Discovery section 4 put it, once in each place. */
async function findServer(visit: Visit, issuer: string): Promise<Answer> {
  const { wire } = visit
  const url = wellKnownOf(serverName, issuer)
  const below = issuer.replace(/\/$/, '')
  const further = new Set([
    wellKnownOf('openid-configuration', issuer),
    `${below}/.well-known/openid-configuration`,
    `${below}/.well-known/${serverName}`,
  ])
  further.delete(url)
  const atRoot = await readDocument(wire, url).catch((thrown: Error) => thrown)
  if (atRoot && !(atRoot instanceof Error)) return atRoot
  for (const other of further) {
    const elsewhere = await readDocument(wire, other).catch(() => undefined)
    if (!elsewhere) continue
    if (other.endsWith(serverName)) visit.find('metadata-not-at-root', { found: other, url })
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
function checkAbilities(visit: Visit, members: Answer['members']): void {
  const needed = { response_types_supported: 'code', code_challenge_methods_supported: 'S256' }
  for (const [member, value] of Object.entries(needed))
    if (!lists(members, member, value)) visit.find('not-listed', { member, value })
  if (!lists(members, 'grant_types_supported', 'refresh_token')) visit.find('no-refresh', {})
  const hasWayIn = members.registration_endpoint !== undefined || members.client_id_metadata_document_supported === true
  if (!hasWayIn && visit.options.clientId === undefined) visit.find('no-way-in', {})
}

/** An endpoint, where it is reached: an app that does not know its own address names another. */
function endpointOf(visit: Visit, member: string, named: unknown, found: Found['resource']): string | undefined {
  const value = webAddress(named)
  if (value === undefined) return undefined
  const [own, reached] = [new URL(found.issuer), new URL(found.reachedAt)]
  const { protocol, host, hostname, origin, href } = new URL(value)
  const isOwn = origin === own.origin
  // What listens on the machine of the doctor trusts whoever can reach it there. No server may send the doctor to it.
  if (!isOwn && leadsToOwnDevice(hostname) && !leadsToOwnDevice(reached.hostname))
    throw fault('wrong-host', { member, value, host, expected: reached.host })
  // The scheme and host of the issuer have been judged already.
  if (protocol === 'http:' && !isOwn && reached.protocol === 'https:') visit.find('http-endpoint', { member, value })
  else if (host !== own.host) visit.note(`${member} is on another host: ${value}`)
  return isOwn || host === reached.host ? href.replace(origin, reached.origin) : value
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
