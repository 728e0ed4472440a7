import { checkAcrossOrigins } from '../cross-origin'
import { notJson } from '../judge'
import { fault, type Notes, Skipped } from '../report'
import type { Wire } from '../wire'
import type { Client } from './registration'
import type { ServerFound } from './server'
import { checkMayBePublic, form } from './token'

/** Revokes a token that does not exist, which succeeds (RFC 7009 section 2.2). */
export async function revokeUnknown(
  notes: Notes,
  wire: Wire,
  { revocation: url }: ServerFound,
  client: Client,
): Promise<void> {
  if (url === undefined) throw new Skipped('The metadata has no revocation_endpoint.')
  const asked = form({ token: 'customer-sign-in-doctor', client_id: client.id })
  const answer = await wire.ask(url, asked)
  const { request, status, error = '' } = answer
  checkMayBePublic(answer, client)
  if (status !== 200) throw notJson(answer) ?? fault('revocation-fails', { request, status: String(status), error })
  await checkAcrossOrigins(notes, wire, url, { ...asked, asks: ['authorization'] })
}
