import { checkDocument, readDocument, readPastCaches } from '../document'
import { placeOf } from '../judge'
import { fault, type Notes, Skipped } from '../report'
import type { Wire } from '../wire'
import type { ServerFound } from './server'

// RFC 7518 sections 6.2.2, 6.3.2 and 6.4.
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']
// Behind a balancer that takes turns, two suffice. One that draws lots among two processes hides them once in eight runs.
const furtherReads = 3

/** The public keys that access tokens verify with (RFC 7517 section 5). */
export async function readKeys(notes: Notes, wire: Wire, { keys: url }: ServerFound): Promise<void> {
  if (url === undefined) throw new Skipped('The metadata has no jwks_uri.')
  const document = await readDocument(wire, url)
  if (!document) throw fault('not-routed', { request: `GET ${url}`, ...placeOf(url) })
  await checkDocument(notes, wire, document)
  const { keys } = document.members
  if (!Array.isArray(keys) || keys.length === 0) throw fault('no-keys', { url })
  const isPrivate = (key: object | null) => privateMembers.some((member) => member in (key ?? {}))
  if (keys.some((key) => typeof key === 'object' && isPrivate(key))) notes.find('private-keys', { url })
  for (let read = 0; read < furtherReads; read++) {
    const other = await readPastCaches(wire, url)
    if (other && named(other.members.keys) !== named(keys)) throw fault('keys-differ', { url })
  }
}

/** Each key in one text. Processes may list them in another order while keys are replaced. */
function named(keys: unknown): string {
  return JSON.stringify(Array.isArray(keys) ? keys.map((key) => JSON.stringify(key)).sort() : keys)
}
