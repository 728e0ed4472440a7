import { type Notes, Skipped } from '../report'
import type { Wire } from '../wire'
import { errorIn, openPage, signInRequest } from './first-page'
import { publicDocument } from './registration'
import type { ResourceFound } from './resource'
import type { ServerFound } from './server'

/**
 * Clients whose id is the address of their metadata document. The doctor has no public address for one of its own, so it begins a sign-in as an
 * assistant whose document is public, and goes no further than its first page.
 */
export async function tryDocument(
  notes: Notes,
  wire: Wire,
  server: ServerFound,
  resource: ResourceFound,
  scope: string | undefined,
): Promise<void> {
  if (!server.documents) throw new Skipped('The metadata does not announce client_id_metadata_document_supported.')
  const page = await openPage(wire, signInRequest(server, publicDocument, resource, scope).url)
  const { status } = page
  notes.note(
    `Tried with the document of Claude Code, ${publicDocument.id}. The documents of other assistants are not tried.`,
  )
  if (status >= 400)
    notes.find('document-refused', { client: publicDocument.id, status: String(status), error: errorIn(page) })
}
