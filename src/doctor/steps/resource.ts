import type { Answer } from '../answer'
import {
  checkDocument,
  checkOrigin,
  differBySlash,
  notThere,
  readDocument,
  readPastCaches,
  webAddress,
  wellKnownOf,
} from '../document'
import { fault } from '../findings'
import type { Found, Visit } from '../visit'

const name = 'oauth-protected-resource'

/** The metadata to which the challenge leads (RFC 9728 sections 3 and 5.1). */
export async function readResource(visit: Visit): Promise<Found['resource']> {
  const [{ challenge }] = visit.found('api')
  const announced = announcedAddress(visit, challenge?.resource_metadata)
  const document = await find(visit, announced, challenge?.resource_metadata === undefined)
  await checkDocument(visit, document)
  const { members } = await checkResource(visit, document)
  const [issuer] = Array.isArray(members.authorization_servers) ? members.authorization_servers.map(webAddress) : []
  if (issuer === undefined) throw fault('member-missing', { ...document, member: 'authorization_servers' })
  const resource = typeof members.resource === 'string' ? members.resource : visit.address
  return { resource, issuer, reachedAt: reached(visit, issuer) }
}

/** @returns Undefined if the challenge names none, or one on an address at which the app is not reached. */
function announcedAddress(visit: Visit, value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const announced = webAddress(value)
  if (announced === undefined) {
    visit.find('member-missing', { request: 'the API without a token', member: 'resource_metadata' })
    return undefined
  }
  if (!checkOrigin(visit, 'resource_metadata', announced, visit.address)) return undefined
  const { pathname: given, origin } = new URL(visit.address)
  const known = new URL(announced).pathname.replace(`/.well-known/${name}`, '')
  if (known === given || known === '' || !given.endsWith(known)) return announced
  const prefix = given.slice(0, -known.length)
  throw fault('prefix-stripped', { given, known, prefix, base: origin + prefix })
}

/** The document where the challenge says it is, or where clients look for it if that is wrong. */
async function find(visit: Visit, announced: string | undefined, isUnannounced: boolean): Promise<Answer> {
  const { address, wire } = visit
  const expected = wellKnownOf(name, address)
  const places = [...new Set([announced ?? expected, expected, wellKnownOf(name, new URL(address).origin)])]
  for (const url of places) {
    const document = await readDocument(wire, url)
    if (!document) continue
    if (announced !== undefined && url !== announced) visit.find('metadata-path', { value: announced, found: url })
    return document
  }
  const url = announced ?? expected
  if (isUnannounced) throw fault('no-metadata', { url })
  throw notThere(url)
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
  return isReached ? issuer : issuer.replace(named.origin, api.origin)
}
