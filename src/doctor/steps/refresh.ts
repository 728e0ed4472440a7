import { notJson } from '../judge'
import type { Secrets } from '../printable'
import { fault, Skipped } from '../report'
import type { Wire } from '../wire'
import type { Client } from './registration'
import type { ResourceFound } from './resource'
import type { ServerFound } from './server'
import { form } from './token'
import { type Tokens, tokensIn } from './tokens'

/** Redeems the refresh token (RFC 6749 section 6). @returns The refresh token that is valid now. */
export async function refresh(
  wire: Wire,
  secrets: Secrets,
  { token: url }: ServerFound,
  client: Client,
  { resource }: ResourceFound,
  { refreshToken }: Tokens,
): Promise<string> {
  if (refreshToken === undefined) throw new Skipped('There is no refresh token.')
  const answer = await wire.ask(url, refreshForm(client, refreshToken, resource))
  const wrong = notJson(answer)
  if (wrong) throw wrong
  const { status, error = '', errorDescription: description } = answer
  if (status !== 200) throw fault('refresh-refused', { status: String(status), error, description })
  return tokensIn(answer.json ?? {}, secrets).refreshToken ?? refreshToken
}

/** Revokes the refresh token, so that nothing of the examination stays valid (RFC 7009). */
export async function endGrant(
  wire: Wire,
  secrets: Secrets,
  { revocation, token }: ServerFound,
  client: Client,
  refreshToken: string,
): Promise<void> {
  if (revocation === undefined) throw new Skipped('The metadata has no revocation_endpoint.')
  const fields = { token: refreshToken, token_type_hint: 'refresh_token', client_id: client.id }
  const answer = await wire.ask(revocation, form(fields))
  const { request, status, error = '' } = answer
  if (status !== 200) throw fault('revocation-fails', { request, status: String(status), error })
  const again = await wire.ask(token, refreshForm(client, refreshToken))
  if (again.status !== 200) return
  secrets.add(...Object.values(again.json ?? {}).filter((value) => typeof value === 'string'))
  throw fault('revocation-without-effect', {})
}

function refreshForm(client: Client, refreshToken: string, resource?: string) {
  return form({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: client.id, resource })
}
