import { leadsToOwnDevice } from '../../protocol/loopback'
import { differBySlash, webAddress, wellKnownOf } from '../addresses'
import { checkDocument, type Document, readDocument, readPastCaches } from '../document'
import { placeOf } from '../judge'
import { Fault, fault, type Notes } from '../report'
import type { Wire } from '../wire'
import type { ResourceFound } from './resource'

/** What the metadata of the authorization server says, with the endpoints where they are reached. */
export interface ServerFound {
  issuer: string
  authorization: string
  token: string
  registration: string | undefined
  revocation: string | undefined
  keys: string | undefined
  /** Whether clients can be known by their metadata document. */
  documents: boolean
  /** Whether clients can authenticate in the `Authorization` header. */
  basic: boolean
  /** Whether its redirects name the issuer (RFC 9207). */
  namesIssuer: boolean
}

const name = 'oauth-authorization-server'
const endpointMembers = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'jwks_uri',
] as const

/**
 * The metadata of the authorization server (RFC 8414).
 *
 * @param hasClient Whether the doctor was given a client id, so that none of the ways to introduce oneself is needed.
 */
export async function readServer(
  notes: Notes,
  wire: Wire,
  found: ResourceFound,
  hasClient: boolean,
): Promise<ServerFound> {
  const document = await find(notes, wire, found.reachedAt)
  await checkDocument(notes, wire, document)
  const { members, answer } = await checkIssuer(notes, wire, found.issuer, document)
  checkAbilities(notes, members, hasClient)
  const endpoints = endpointsOf(notes, members, found)
  const { authorization_endpoint: authorization, token_endpoint: token } = endpoints
  if (!authorization) throw fault('member-missing', { request: answer.request, member: 'authorization_endpoint' })
  if (!token) throw fault('member-missing', { request: answer.request, member: 'token_endpoint' })
  return {
    issuer: found.issuer,
    authorization,
    token,
    registration: endpoints.registration_endpoint,
    revocation: endpoints.revocation_endpoint,
    keys: endpoints.jwks_uri,
    documents: members.client_id_metadata_document_supported === true,
    basic: lists(members, 'token_endpoint_auth_methods_supported', 'client_secret_basic'),
    namesIssuer: members.authorization_response_iss_parameter_supported === true,
  }
}

/** Looks where RFC 8414 section 3.1 and OpenID Connect Discovery section 4 put it. */
async function find(notes: Notes, wire: Wire, issuer: string): Promise<Document> {
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
    if (other.endsWith(name)) notes.find('metadata-not-at-root', { found: other, url })
    else notes.note(`The metadata is that of OpenID Connect: ${other}`)
    return elsewhere
  }
  throw atRoot ?? fault('not-routed', { request: `GET ${url}`, ...placeOf(url) })
}

/** RFC 8414 section 3.3: the issuer must be, character by character, the one that has led here. @returns The document that is right. */
async function checkIssuer(notes: Notes, wire: Wire, expected: string, document: Document): Promise<Document> {
  const { issuer } = document.members
  const { request } = document.answer
  if (issuer === expected) return document
  if (typeof issuer !== 'string') throw fault('member-missing', { request, member: 'issuer' })
  const fresh = await readPastCaches(wire, document.url)
  if (fresh && fresh.members.issuer === expected) {
    notes.find('cached-other', { request })
    return fresh
  }
  if (!differBySlash(issuer, expected)) throw fault('issuer-differs', { value: issuer, expected })
  notes.find('issuer-slash', { value: issuer, expected })
  return document
}

/** What every assistant needs. Clients also refuse a list that is missing. */
function checkAbilities(notes: Notes, members: Record<string, unknown>, hasClient: boolean): void {
  if (!lists(members, 'response_types_supported', 'code')) notes.find('no-code-flow', {})
  if (!lists(members, 'code_challenge_methods_supported', 'S256')) notes.find('no-pkce', {})
  if (!lists(members, 'grant_types_supported', 'refresh_token')) notes.find('no-refresh', {})
  const hasWayIn = members.registration_endpoint !== undefined || members.client_id_metadata_document_supported === true
  if (!hasWayIn && !hasClient) notes.find('no-way-in', {})
}

function lists(members: Record<string, unknown>, member: string, value: string): boolean {
  const list = members[member]
  return Array.isArray(list) && list.includes(value)
}

/** The endpoints, where they are reached: an app that does not know its own address names others. */
function endpointsOf(
  notes: Notes,
  members: Record<string, unknown>,
  { issuer, reachedAt }: ResourceFound,
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
    if (protocol === 'http:' && !isOwn && reached.protocol === 'https:') notes.find('http-endpoint', { member, value })
    else if (host !== named.host) notes.note(`${member} is on another host: ${value}`)
    endpoints[member] = isOwn || host === reached.host ? value.replace(origin, reached.origin) : value
  }
  return endpoints
}
