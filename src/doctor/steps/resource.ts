import { checkOrigin, differBySlash, webAddress, wellKnownOf } from '../addresses'
import { checkDocument, type Document, readDocument, readPastCaches } from '../document'
import { placeOf } from '../judge'
import { fault, type Notes } from '../report'
import type { Wire } from '../wire'
import type { ApiFound } from './api'

const name = 'oauth-protected-resource'

/** What the metadata of the API says. */
export interface ResourceFound {
  /** What clients send as `resource`. */
  resource: string
  /** The authorization server, as the metadata names it. */
  issuer: string
  /** The authorization server, where it is reached. The same, unless the app does not know its own address. */
  reachedAt: string
}

/** The metadata to which the challenge leads (RFC 9728 sections 3 and 5.1). */
export async function readResource(
  notes: Notes,
  wire: Wire,
  address: string,
  { challenge }: ApiFound,
): Promise<ResourceFound> {
  const announced = announcedAddress(notes, address, challenge?.resource_metadata)
  const document = await find(notes, wire, address, announced, challenge?.resource_metadata === undefined)
  await checkDocument(notes, wire, document)
  const { members } = await checkResource(notes, wire, address, document)
  const { request } = document.answer
  const [issuer] = Array.isArray(members.authorization_servers) ? members.authorization_servers.map(webAddress) : []
  if (issuer === undefined) throw fault('member-missing', { request, member: 'authorization_servers' })
  const resource = typeof members.resource === 'string' ? members.resource : address
  return { resource, issuer, reachedAt: reached(notes, issuer, address) }
}

/** @returns Undefined if the challenge names none, or one on an address at which the app is not reached. */
function announcedAddress(notes: Notes, address: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const announced = webAddress(value)
  if (announced === undefined) {
    notes.find('member-missing', { request: 'The challenge of the API', member: 'resource_metadata' })
    return undefined
  }
  if (!checkOrigin(notes, 'resource_metadata', announced, address)) return undefined
  const { pathname: given, origin } = new URL(address)
  const known = new URL(announced).pathname.replace(`/.well-known/${name}`, '')
  if (known === given || known === '' || !given.endsWith(known)) return announced
  const prefix = given.slice(0, -known.length)
  throw fault('prefix-stripped', { given, known, prefix, base: origin + prefix })
}

/** The document where the challenge says it is, or where clients look for it if that is wrong. */
async function find(
  notes: Notes,
  wire: Wire,
  address: string,
  announced: string | undefined,
  isUnannounced: boolean,
): Promise<Document> {
  const expected = wellKnownOf(name, address)
  const places = [...new Set([announced ?? expected, expected, wellKnownOf(name, new URL(address).origin)])]
  for (const url of places) {
    const document = await readDocument(wire, url)
    if (!document) continue
    if (announced !== undefined && url !== announced) notes.find('metadata-path', { value: announced, found: url })
    return document
  }
  const url = announced ?? expected
  if (isUnannounced) throw fault('no-metadata', { url })
  throw fault('not-routed', { request: `GET ${url}`, ...placeOf(url) })
}

/** RFC 9728 section 3.3: the resource must be the address that the client has used. @returns The document that is right. */
async function checkResource(notes: Notes, wire: Wire, address: string, document: Document): Promise<Document> {
  const { resource } = document.members
  const value = webAddress(resource)
  const { request } = document.answer
  if (value === undefined) {
    notes.find('member-missing', { request, member: 'resource' })
    return document
  }
  if (isSame(value, address)) return document
  const fresh = await readPastCaches(wire, document.url)
  if (fresh && fresh.members.resource !== value && isSame(String(fresh.members.resource), address)) {
    notes.find('cached-other', { request })
    return fresh
  }
  if (differBySlash(value, address)) notes.find('resource-slash', { value, address })
  else if (checkOrigin(notes, 'resource', value, address)) notes.find('resource-differs', { value, address })
  return document
}

/** An address without a path is spelled with and without a slash. */
function isSame(one: string, other: string): boolean {
  return one === other || (new URL(other).pathname === '/' && differBySlash(one, other))
}

/** Where the authorization server is reached, if the app believes itself to be elsewhere. */
function reached(notes: Notes, issuer: string, address: string): string {
  const [named, api] = [new URL(issuer), new URL(address)]
  const isElsewhere = named.hostname !== api.hostname && !notes.seen.some(({ code }) => code === 'wrong-host')
  if (isElsewhere && named.protocol === 'https:') {
    notes.note(`The authorization server is on another host than the API: ${issuer}`)
    return issuer
  }
  return checkOrigin(notes, 'authorization_servers', issuer, address)
    ? issuer
    : issuer.replace(named.origin, api.origin)
}
