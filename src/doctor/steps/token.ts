import { randomBytes } from 'node:crypto'
import type { Answer } from '../answer'
import { checkAcrossOrigins } from '../cross-origin'
import { notJson } from '../judge'
import { type Fault, fault, type Notes, Skipped } from '../report'
import type { Asked, Wire } from '../wire'
import type { Client } from './registration'
import type { ResourceFound } from './resource'
import type { ServerFound } from './server'

// As long as those of servers that put a signed token into the code, so that a small limit of a proxy is found.
const wrongCode = `customer-sign-in-doctor-${'x'.repeat(1500)}`

/** A form as a client sends it (RFC 6749 section 3.2). */
export function form(fields: Record<string, string | undefined>): Asked {
  const known = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined)
  return {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/json' },
    body: new URLSearchParams(known).toString(),
  }
}

/** Redeems a code that nobody was given. The right answer is `invalid_grant`, which shows that the whole request has arrived. */
export async function tryWrongCode(
  notes: Notes,
  wire: Wire,
  server: ServerFound,
  client: Client,
  { resource }: ResourceFound,
): Promise<void> {
  const { token: url } = server
  const fields = {
    grant_type: 'authorization_code',
    code: wrongCode,
    redirect_uri: client.redirectUri,
    code_verifier: randomBytes(32).toString('base64url'),
    resource,
  }
  const inBody = form({ ...fields, client_id: client.id })
  const answer = await wire.ask(url, inBody)
  checkMayBePublic(answer, client)
  const wrong = notInvalidGrant(answer, client)
  if (wrong) throw wrong
  if (!/\bno-store\b/i.test(answer.header('cache-control') ?? '')) notes.find('token-cached', answer)
  await presentInHeader(notes, wire, server, form(fields), client)
  await checkAcrossOrigins(notes, wire, url, { ...inBody, asks: ['authorization'] })
}

/** A client of the company's own may have a secret, which the doctor does not ask for. */
export function checkMayBePublic({ error, errorDescription }: Answer, { source }: Client): void {
  const isConfidential = error === 'invalid_client' && /authenticat|secret|assertion/i.test(errorDescription)
  if (source === 'given' && isConfidential)
    throw new Skipped('The client must authenticate, and the doctor has no secret.')
}

function notInvalidGrant(answer: Answer, client: Client): Fault | undefined {
  const { request, status, error = '', errorDescription: description } = answer
  const wrong = notJson(answer)
  if (wrong) return wrong
  if (status === 400 && error === 'invalid_grant') return undefined
  if (error === 'invalid_client' && client.source === 'registered') return fault('client-not-shared', { request })
  if (error === 'invalid_client') return fault('client-unknown', { request, client: client.id })
  const isLost = error === 'invalid_request' && /missing|required|content-type|body/i.test(description)
  if (isLost) return fault('body-lost', { request, description })
  return fault('wrong-error', { request, status: String(status), error, description })
}

/**
 * The same with the client in the `Authorization` header (RFC 6749 section 2.3.1), as clients with a secret send it. This library reads the
 * header of every client. Other servers may read it only if they announce so.
 */
async function presentInHeader(
  notes: Notes,
  wire: Wire,
  { token: url, basic }: ServerFound,
  asked: Asked,
  client: Client,
): Promise<void> {
  const user = Buffer.from(`${encodeURIComponent(client.id)}:`).toString('base64')
  const answer = await wire.ask(url, { ...asked, headers: { ...asked.headers, Authorization: `Basic ${user}` } })
  const { error, errorDescription: description } = answer
  const isMissing = description === 'client_id is missing' || (basic && /client_id/.test(description))
  if (error === 'invalid_request' && isMissing) notes.find('authorization-dropped', answer)
}
