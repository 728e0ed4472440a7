import { type Answer, jsonOf } from '../answer'
import { checkPreflight } from '../cross-origin'
import { lists, webAddress } from '../document'
import { fault } from '../findings'
import { type Found, Skipped, type Visit } from '../visit'

type Client = Found['registration']

const clientName = 'customer-sign-in doctor'

/** A document that is public, and whose client is on the customer's own device. */
export const publicDocument: Client = {
  id: 'https://claude.ai/oauth/claude-code-client-metadata',
  redirectUri: 'http://127.0.0.1/callback',
  source: 'document',
}

/** Registers a client (RFC 7591 section 3), unless one was given. */
export async function register(visit: Visit): Promise<Client> {
  const [{ registration: url, members }] = visit.found('server')
  const { redirectUri, wire, options } = visit
  if (options.clientId !== undefined) {
    visit.note(`Not tried: the client is ${options.clientId}.`)
    return { id: options.clientId, redirectUri, source: 'given' }
  }
  if (url === undefined && members.client_id_metadata_document_supported === true) {
    visit.note(
      `Not announced. Only clients with a metadata document connect; the next steps use that of ${publicDocument.id}`,
    )
    return publicDocument
  }
  if (url === undefined) throw new Skipped('The metadata has no registration_endpoint.')
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json' }
  const sent = Date.now()
  const answer = await wire.ask(url, { method: 'POST', headers, body: JSON.stringify(metadataOf(redirectUri)) })
  const { client_id: id, client_id_issued_at: issuedAt, ...more } = registeredIn(answer)
  await checkPreflight(visit, url, { method: 'POST' }, ['content-type'])
  if (typeof id !== 'string' || id === '') throw fault('member-missing', { ...answer, member: 'client_id' })
  if (typeof issuedAt === 'number') wire.tellTime('client_id_issued_at of the registration', issuedAt, sent)
  visit.note(`Registered a client named “${clientName}”: ${id}`)
  const hasMethod = (method: string) => lists(members, 'token_endpoint_auth_methods_supported', method)
  if (hasMethod('client_secret_basic') || hasMethod('client_secret_post'))
    visit.note(
      'Clients can register for a secret. A customer-sign-in derives it from keys.credentialSecrets: if you drop one of these, the clients that it has given secrets must register again.',
    )
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

function registeredIn(answer: Answer): Record<string, unknown> {
  const members = jsonOf(answer)
  const { status, error } = answer
  if (status === 200 || status === 201) return members
  if (error === 'access_denied') throw fault('registration-off', answer)
  throw fault(error === 'invalid_request' ? 'body-lost' : 'registration-refused', answer)
}

/** @param endpoint Where the client registered. A server that names another place could let the doctor delete something there. */
function managementIn(registered: Record<string, unknown>, endpoint: string): Client['management'] {
  const { registration_client_uri: uri, registration_access_token: token } = registered
  const url = webAddress(uri)
  const isThere = url !== undefined && new URL(url).origin === new URL(endpoint).origin
  return isThere && typeof token === 'string' ? { url, token } : undefined
}

/** Deletes the registration, where the server has a way (RFC 7592 section 2.3). Otherwise it says what becomes of it. */
export async function leave(visit: Visit): Promise<void> {
  const [{ id, source, management }] = visit.found('registration')
  if (source !== 'registered') throw new Skipped('The doctor has registered no client.')
  if (management) {
    const headers = { Authorization: `Bearer ${management.token}` }
    const { status } = await visit.wire.ask(management.url, { method: 'DELETE', headers })
    const became = status === 204 ? 'has been deleted' : `stays: the server answers DELETE with ${status}`
    return visit.note(`The client ${id} ${became}.`)
  }
  visit.note(
    `A customer-sign-in stores no clients, so nothing is left there. If this is another server, it has named no way to delete the client ${id}.`,
  )
}
