import { webAddress } from '../addresses'
import type { Answer } from '../answer'
import { checkAcrossOrigins } from '../cross-origin'
import { notJson } from '../judge'
import { type Fault, fault, type Notes, Skipped } from '../report'
import type { Wire } from '../wire'
import type { ServerFound } from './server'

export const clientName = 'customer-sign-in doctor'

/** The client that the doctor acts as. */
export interface Client {
  id: string
  redirectUri: string
  /** `document`: it is an assistant's, and nobody signs in with it. */
  source: 'given' | 'registered' | 'document'
  /** Where the registration can be deleted, if the server has that (RFC 7592). */
  management?: { url: string; token: string } | undefined
}

/** A document that is public, and whose client is on the customer's own device. */
export const publicDocument: Client = {
  id: 'https://claude.ai/oauth/claude-code-client-metadata',
  redirectUri: 'http://127.0.0.1/callback',
  source: 'document',
}

/** Registers a client (RFC 7591 section 3), unless one was given. */
export async function register(
  notes: Notes,
  wire: Wire,
  { registration: url, documents, basic }: ServerFound,
  { clientId, redirectUri }: { clientId: string | undefined; redirectUri: string },
): Promise<Client> {
  if (clientId !== undefined) {
    notes.note(`Not tried: the client is ${clientId}.`)
    return { id: clientId, redirectUri, source: 'given' }
  }
  if (url === undefined && documents) {
    notes.note(
      `Not announced. Only clients with a metadata document connect; the next steps use that of ${publicDocument.id}`,
    )
    return publicDocument
  }
  if (url === undefined) throw new Skipped('The metadata has no registration_endpoint.')
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
  const sent = Date.now()
  const answer = await wire.ask(url, { method: 'POST', headers, body: JSON.stringify(metadataOf(redirectUri)) })
  const refusal = refusalOf(answer)
  if (refusal) throw refusal
  await checkAcrossOrigins(notes, wire, url, { method: 'POST', asks: ['content-type'], send: false })
  const { client_id: id, client_id_issued_at: issuedAt, ...more } = answer.json ?? {}
  if (typeof id !== 'string' || id === '') throw fault('no-client-id', { status: String(answer.status) })
  if (typeof issuedAt === 'number') wire.tellTime('client_id_issued_at of the registration', issuedAt, sent)
  notes.note(`Registered a client named “${clientName}”: ${id}`)
  if (basic) {
    notes.note(
      'Clients can register for a secret. A customer-sign-in derives it from credentialSecrets: if you drop one of these, the clients that it has given secrets must register again.',
    )
  }
  return { id, redirectUri, source: 'registered', management: managementIn(more, url) }
}

/** What an assistant on the customer's own device says about itself (RFC 7591 section 2). */
function metadataOf(redirectUri: string): object {
  return {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  }
}

function refusalOf(answer: Answer): Fault | undefined {
  const wrong = notJson(answer)
  if (wrong) return wrong
  const { request, status, error = '', errorDescription: description } = answer
  if (status === 200 || status === 201) return undefined
  if (error === 'access_denied') return fault('registration-off', { description })
  if (error === 'invalid_request') return fault('body-lost', { request, description })
  return fault('registration-refused', { status: String(status), error, description })
}

/** @param endpoint Where the client registered. A server that names another place could let the doctor delete something there. */
function managementIn(registered: Record<string, unknown>, endpoint: string): Client['management'] {
  const { registration_client_uri: uri, registration_access_token: token } = registered
  const url = webAddress(uri)
  const isThere = url !== undefined && new URL(url).origin === new URL(endpoint).origin
  return isThere && typeof token === 'string' ? { url, token } : undefined
}

/** Deletes the registration, where the server has a way (RFC 7592 section 2.3). Otherwise it says what becomes of it. */
export async function leave(notes: Notes, wire: Wire, { id, source, management }: Client): Promise<void> {
  if (source !== 'registered') throw new Skipped('The doctor has registered no client.')
  if (management) {
    const headers = { Authorization: `Bearer ${management.token}` }
    const { status } = await wire.ask(management.url, { method: 'DELETE', headers })
    if (status === 204) {
      notes.note(`The client ${id} has been deleted.`)
      return
    }
  }
  notes.note(
    `The server has named no way to delete the client ${id}. A customer-sign-in stores none, so nothing is left there.`,
  )
}
