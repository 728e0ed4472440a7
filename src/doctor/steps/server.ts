import { leadsToOwnDevice } from '../../protocol/redirect-uri'
import {
  checkDocument,
  type Document,
  differBySlash,
  notThere,
  readDocument,
  readPastCaches,
  webAddress,
  wellKnownOf,
} from '../document'
import { Fault, fault } from '../findings'
import { type Found, Skipped, type Visit } from '../visit'

const name = 'oauth-authorization-server'
const endpointMembers = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'jwks_uri',
] as const

/** The metadata of the authorization server (RFC 8414). */
export async function readServer(visit: Visit): Promise<Found['server']> {
  const [found] = visit.found('resource')
  const document = await find(visit, found.reachedAt)
  await checkDocument(visit, document)
  const { members, answer } = await checkIssuer(visit, found.issuer, document)
  checkAbilities(visit, members)
  const endpoints = endpointsOf(visit, members, found)
  const { authorization_endpoint: authorization, token_endpoint: token } = endpoints
  if (!authorization) throw fault('member-missing', { ...answer, member: 'authorization_endpoint' })
  if (!token) throw fault('member-missing', { ...answer, member: 'token_endpoint' })
  return {
    issuer: found.issuer,
    authorization,
    token,
    registration: endpoints.registration_endpoint,
    revocation: endpoints.revocation_endpoint,
    keys: endpoints.jwks_uri,
    documents: members.client_id_metadata_document_supported === true,
    basic: lists(members, 'token_endpoint_auth_methods_supported', 'client_secret_basic'),
    inForm: lists(members, 'token_endpoint_auth_methods_supported', 'client_secret_post'),
    namesIssuer: members.authorization_response_iss_parameter_supported === true,
    dpop: lists(members, 'dpop_signing_alg_values_supported', 'ES256'),
  }
}

/** Looks where RFC 8414 section 3.1 and OpenID Connect Discovery section 4 put it. */
async function find(visit: Visit, issuer: string): Promise<Document> {
  const { wire } = visit
  const url = wellKnownOf(name, issuer)
  const below = issuer.replace(/\/$/, '')
  const further = [
    wellKnownOf('openid-configuration', issuer),
    `${below}/.well-known/openid-configuration`,
    `${below}/.well-known/${name}`,
  ]
  let atRoot: Fault | undefined
  const document = await readDocument(wire, url).catch((thrown) => {
    if (!(thrown instanceof Fault)) throw thrown
    atRoot = thrown
    return undefined
  })
  if (document) return document
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
async function checkIssuer(visit: Visit, expected: string, document: Document): Promise<Document> {
  const { issuer } = document.members
  if (issuer === expected) return document
  if (typeof issuer !== 'string') throw fault('member-missing', { ...document.answer, member: 'issuer' })
  const fresh = await readPastCaches(visit.wire, document.url)
  if (fresh && fresh.members.issuer === expected) {
    visit.find('cached-other', document.answer)
    return fresh
  }
  if (!differBySlash(issuer, expected)) throw fault('issuer-differs', { value: issuer, expected })
  visit.find('issuer-slash', { value: issuer, expected })
  return document
}

/** What every assistant needs. Clients also refuse a list that is missing. */
function checkAbilities(visit: Visit, members: Record<string, unknown>): void {
  for (const [member, value] of [
    ['response_types_supported', 'code'],
    ['code_challenge_methods_supported', 'S256'],
  ] as const)
    if (!lists(members, member, value)) visit.find('not-listed', { member, value })
  if (!lists(members, 'grant_types_supported', 'refresh_token')) visit.find('no-refresh', {})
  const hasWayIn = members.registration_endpoint !== undefined || members.client_id_metadata_document_supported === true
  if (!hasWayIn && visit.clientId === undefined) visit.find('no-way-in', {})
}

function lists(members: Record<string, unknown>, member: string, value: string): boolean {
  const list = members[member]
  return Array.isArray(list) && list.includes(value)
}

/** The endpoints, where they are reached: an app that does not know its own address names others. */
function endpointsOf(
  visit: Visit,
  members: Record<string, unknown>,
  { issuer, reachedAt }: Found['resource'],
): Partial<Record<(typeof endpointMembers)[number], string>> {
  const [named, reached] = [new URL(issuer), new URL(reachedAt)]
  const endpoints: Partial<Record<(typeof endpointMembers)[number], string>> = {}
  for (const member of endpointMembers) {
    const value = webAddress(members[member])
    if (value === undefined) continue
    const { protocol, host, hostname, origin } = new URL(value)
    const isOwn = origin === named.origin
    // What listens on the machine of the doctor trusts whoever can reach it there. No server may send the doctor to it.
    if (!isOwn && leadsToOwnDevice(hostname) && !leadsToOwnDevice(reached.hostname))
      throw fault('wrong-host', { member, value, host, expected: reached.host })
    // The scheme and host of the issuer have been judged already.
    if (protocol === 'http:' && !isOwn && reached.protocol === 'https:') visit.find('http-endpoint', { member, value })
    else if (host !== named.host) visit.note(`${member} is on another host: ${value}`)
    endpoints[member] = isOwn || host === reached.host ? value.replace(origin, reached.origin) : value
  }
  return endpoints
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
