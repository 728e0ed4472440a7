import { randomUUID } from 'node:crypto'
import { isUrl } from '../protocol/resource'
import { type Answer, answerOf, jsonOf } from './answer'
import { checkAcrossOrigins } from './cross-origin'
import { type Fault, fault } from './findings'
import type { Visit } from './visit'
import type { Wire } from './wire'

const accept = { Accept: 'application/json' }
// Longer than this, a rotation of keys is seen too late.
const longestAge = 24 * 3600

/** Reads a public document of JSON, as an assistant does. @throws {Fault} if something else answers in its place. */
export async function readDocument(wire: Wire, url: string): Promise<Answer | undefined> {
  const answer = await wire.ask(url, { headers: accept })
  if (answer.status === 404 && !answer.isBotWall) {
    const fresh = await readPastCaches(wire, url)
    if (fresh) throw fault('cached-404', fresh)
    if (answer.error === 'not_found') throw fault('company-unknown', answer)
    return undefined
  }
  jsonOf(answer)
  const { status, error } = answer
  if (status === 200) return answer
  throw fault('unexpected-status', { ...answer, status: `${status} ${error}`.trim(), expected: 200 })
}

/** The fault of a document that is not where it should be. */
export function notThere(url: string): Fault {
  return fault('not-routed', answerOf(url, 'GET', 404, {}, ''))
}

/** Reads a document with a query that no cache has seen. @returns Undefined if there is none. */
export async function readPastCaches(wire: Wire, address: string): Promise<Answer | undefined> {
  const url = new URL(address)
  url.searchParams.set('doctor', randomUUID())
  const answer = await wire.ask(url.href, { headers: accept })
  return answer.status === 200 && answer.isJson ? answer : undefined
}

/** What holds for every public document: its type, how long it may be cached, HEAD and CORS. */
export async function checkDocument(visit: Visit, document: Answer): Promise<void> {
  const { url, type, header } = document
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) visit.find('content-type', document)
  const seconds = Number(/\b(?:s-maxage|max-age)=(\d+)/i.exec(header('cache-control') ?? '')?.[1])
  if (seconds > longestAge) visit.find('cached-long', { ...document, seconds })
  const head = await visit.wire.ask(url, { method: 'HEAD', headers: accept })
  if (head.status !== 200) visit.find('head-refused', head)
  await checkAcrossOrigins(visit, url, { headers: accept }, ['mcp-protocol-version'])
}

/** The address of a well-known document about a URL: its path goes between the host and the path (RFC 8414 section 3.1, RFC 9728 section 3.1). */
export function wellKnownOf(name: string, url: string): string {
  const { origin, pathname, search } = new URL(url)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}${search}`
}

/** Whether a member of metadata is a list with this value. */
export function lists(members: Answer['members'], member: string, value: string): boolean {
  const list = members[member]
  return Array.isArray(list) && list.includes(value)
}

/** Whether two addresses differ by one slash at the end alone. */
export function differBySlash(one: string, other: string): boolean {
  return one !== other && one.replace(/\/$/, '') === other.replace(/\/$/, '')
}

/** An absolute http or https address, or undefined. */
export function webAddress(value: unknown): string | undefined {
  return typeof value === 'string' && /^https?:\/\//i.test(value) && isUrl(value) ? value : undefined
}

/**
 * Whether an address that the app has named is where the app is reached: an app behind a proxy knows only by its settings or by headers of
 * the proxy what that is. If it is not, a step finds that once, because one setting mends all.
 */
export function checkOrigin(visit: Visit, member: string, value: string, reachedAt: string): boolean {
  const [named, reached] = [new URL(value), new URL(reachedAt)]
  if (named.origin === reached.origin) return true
  const isHttp = named.protocol === 'http:' && reached.protocol === 'https:'
  const code = named.hostname === reached.hostname && isHttp ? 'wrong-scheme' : 'wrong-host'
  if (!visit.seen.some((seen) => seen.code === code))
    visit.find(code, { member, value, host: named.host, expected: reached.host })
  return false
}
