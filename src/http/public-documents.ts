import { hash } from 'node:crypto'

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

/** The public documents that were made before: to make one takes longer than the rest of a response. */
export class PublicDocuments {
  readonly #documents = new WeakMap<object, PublicDocument>()

  /**
   * Returns the document of an object, and makes it if there is none.
   *
   * @param of Decides what the members are, and never changes: whoever has something else to say has another object. The document is
   * forgotten with it.
   */
  get(of: object, members: () => object): PublicDocument {
    const known = this.#documents.get(of)
    if (known) return known
    const made = publicDocument(members())
    this.#documents.set(of, made)
    return made
  }
}
