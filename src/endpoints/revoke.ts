import type { Clients } from '../clients/clients'
import type { Revocations } from '../grants/revocations'
import { readForm } from '../http/body'
import { respondWithJson } from '../http/responses'
import type { Endpoint } from './endpoint'
import { type ClientAuthentication, tokenAudiences } from './requesting-client'

/** `POST I/revoke`: ends the grant of a token (RFC 7009 section 2). A token that is not the client's is no error. */
export function revoke(revocations: Revocations, clients: Clients, authentication: ClientAuthentication): Endpoint {
  return async ({ req, res, tenant, message }) => {
    const form = await readForm(req, res)
    const named = authentication.identify(req, form, tenant)
    message.clientId = named.clientId
    const isDocument = clients.isDocument(named.clientId, tenant)
    // To authenticate it, its document and its keys may have to be fetched. Every other client may end its grants, whatever the rules.
    if (named.proof && isDocument) clients.checkMayRedeem(named.clientId, tenant)
    const token = form.required('token')
    // Anybody can write an id with an address of keys, and must not make this server fetch something there.
    if (named.proof && clients.publishesKeys(named.clientId, tenant) && !revocations.hasIssued(token, named, tenant)) {
      respondWithJson(res, {})
      return
    }
    const audiences = [...tokenAudiences(tenant), `${tenant.address.endpoints}/revoke`]
    const client = await authentication.authenticate(named, tenant, audiences)
    const { clientId, isAuthenticated, useUp } = client
    // A stranger with any token must not make this server fetch a document.
    if (!isDocument) await authentication.checkPublic(client, tenant)
    await revocations.revoke(token, { clientId, isAuthenticated }, tenant, async (by) => {
      if (isDocument && by === 'access_token') await authentication.checkPublic(client, tenant)
      await useUp?.(true)
    })
    respondWithJson(res, {})
  }
}
