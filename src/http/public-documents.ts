import { hash } from 'node:crypto'
import { BoundedMap } from '../collections/bounded-map'

const maxDocuments = 1000
// Without `baseUrl`, names have the `Host` header in them, which its sender can make as long as they like.
const maxNameLength = 2048

/** A document that anyone may read and cache for five minutes, ready to be sent. */
export interface PublicDocument {
  body: string
  etag: string
}

/** Makes a document with these members. */
export function publicDocument(members: object): PublicDocument {
  const body = JSON.stringify(members)
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  return { body, etag }
}

/** The public documents that were requested last: to make one takes longer than the rest of a response. */
export class PublicDocuments {
  readonly #documents = new BoundedMap<string, PublicDocument>(maxDocuments)

  /**
   * Returns the document with this name, and makes it if there is none.
   *
   * @param name Must contain everything that the members are made of, so that a change makes another document.
   */
  get(name: string, members: () => object): PublicDocument {
    const known = this.#documents.get(name)
    if (known) return known
    const made = publicDocument(members())
    if (name.length <= maxNameLength) this.#documents.set(name, made)
    return made
  }
}
