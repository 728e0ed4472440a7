import { randomUUID } from 'node:crypto'
import type { Answer } from './answer'
import { checkAcrossOrigins } from './cross-origin'
import { notJson } from './judge'
import { shownUrl } from './printable'
import { fault, type Notes } from './report'
import type { Wire } from './wire'

/** A public document of JSON, and its address. */
export interface Document {
  url: string
  answer: Answer
  members: Record<string, unknown>
}

const accept = { Accept: 'application/json' }
// Longer than this, a rotation of keys is seen too late.
const longestAge = 24 * 3600

/**
 * Reads a public document, as an assistant does.
 *
 * @returns Undefined if it is not there.
 * @throws {Fault} if something else answers in its place.
 */
export async function readDocument(wire: Wire, url: string): Promise<Document | undefined> {
  const answer = await wire.ask(url, { headers: accept })
  if (answer.status === 404 && !answer.isBotWall) {
    const fresh = await readPastCaches(wire, url)
    if (fresh) throw fault('cached-404', { request: answer.request, status: '200' })
    if (answer.error === 'not_found') throw fault('company-unknown', { request: answer.request })
    return undefined
  }
  const wrong = notJson(answer)
  if (wrong) throw wrong
  const { json: members, request, status } = answer
  if (status !== 200 || !members)
    throw fault('unexpected-status', { request, status: `${status} ${answer.error ?? ''}`.trim(), expected: '200' })
  return { url, answer, members }
}

/** Reads a document with a query that no cache has seen. @returns Undefined if there is none. */
export async function readPastCaches(wire: Wire, url: string): Promise<Document | undefined> {
  const fresh = new URL(url)
  fresh.searchParams.set('doctor', randomUUID())
  const answer = await wire.ask(fresh.href, { headers: accept })
  const members = answer.status === 200 ? answer.json : undefined
  return members && { url, answer, members }
}

/** What holds for every public document: its type, how long it may be cached, HEAD and CORS. */
export async function checkDocument(notes: Notes, wire: Wire, { url, answer }: Document): Promise<void> {
  const type = answer.header('content-type') ?? 'missing'
  const { request } = answer
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type)) notes.find('content-type', { request, type })
  const [, maxAge = '0'] = /\b(?:s-maxage|max-age)=(\d+)/i.exec(answer.header('cache-control') ?? '') ?? []
  if (Number(maxAge) > longestAge) notes.find('cached-long', { request, seconds: maxAge })
  const head = await wire.ask(url, { method: 'HEAD', headers: accept })
  if (head.status !== 200) notes.find('head-refused', { url: shownUrl(url), status: String(head.status) })
  await checkAcrossOrigins(notes, wire, url, { headers: accept, asks: ['mcp-protocol-version'] })
}
