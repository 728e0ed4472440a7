import { revokeToken } from '../grants/revoke-token'
import { readForm } from '../http/form'
import { respondWithJson } from '../http/responses'
import type { EndpointContext } from './endpoint'
import { identifyClient } from './requesting-client'

/** `POST I/revoke`: ends the grant of a token (RFC 7009 section 2). A token that is none of the client's is no error. */
export async function revoke({ req, res, tenant, service }: EndpointContext): Promise<void> {
  const form = await readForm(req, res)
  const client = identifyClient(req, form, tenant)
  await revokeToken(form.required('token'), client.clientId, tenant, service)
  respondWithJson(res, {})
}
