import { readForm } from '../http/form'
import { respondWithJson } from '../http/responses'
import type { Context } from './context'
import type { Rooms } from './endpoint'
import { identifyClient } from './requesting-client'

/** `POST I/revoke`: ends the grant of a token (RFC 7009 section 2). A token that is not the client's is no error. */
export async function revoke(
  { req, res, tenant }: Context,
  { revocations }: Pick<Rooms, 'revocations'>,
): Promise<void> {
  const form = await readForm(req, res)
  const client = identifyClient(req, form, tenant)
  await revocations.revoke(form.required('token'), client.clientId, tenant)
  respondWithJson(res, {})
}
