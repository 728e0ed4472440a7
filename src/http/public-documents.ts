import { hash } from 'node:crypto'
import { anyOrigin } from './cors'

// Seconds.
const maxAge = 300

const maxKept = 1000
// Where `baseUrl` is not set, anybody can make up a name of any length.
const maxName = 2048

/** A document that anyone may read and keep for five minutes, as it is sent. */
export interface PublicDocument {
  body: string
  etag: string
  headers: Record<string, string>
}

/** A document with these members, ready to be sent. */
export function publicDocument(members: object): PublicDocument {
  const body = JSON.stringify(members)
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  return { body, etag, headers: { 'Cache-Control': `public, max-age=${maxAge}`, ETag: etag, ...anyOrigin } }
}

/** The public documents that were asked for last: to make one takes more than all else of an answer. */
export class PublicDocuments {
  readonly #kept = new Map<string, PublicDocument>()

  /**
   * @param name Says all that the members are made of, so that they are made again as soon as any of it changes.
   */
  named(name: string, members: () => object): PublicDocument {
    const kept = this.#kept.get(name)
    if (kept) return kept
    const made = publicDocument(members())
    if (name.length > maxName) return made
    if (this.#kept.size >= maxKept) this.#kept.clear()
    this.#kept.set(name, made)
    return made
  }
}
