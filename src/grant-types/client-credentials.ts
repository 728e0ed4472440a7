import type { Authorizations } from '../authorization/authorizations'
import { type ClientAuthenticationMethod, notAuthenticated } from '../client-authentication/method'
import { canAuthenticate } from '../client-authentication/methods'
import { useUp } from '../endpoints/requesting-client'
import { type Grants, grantOfOneToken } from '../grants/grants'
import { contextOf } from '../host/emitter'
import { mayUse } from '../protocol/grant-types'
import { subjectOfClient } from '../protocol/subject'
import type { AccessTokens } from '../tokens/access-tokens'
import type { GrantType } from './grant-type'

const grantType = 'client_credentials'

/**
 * Gives an access token to one of a company's own clients, for itself (RFC 6749 section 4.4): there is no customer, and no refresh token.
 *
 * Its grant is stored although nothing redeems it, so that it is listed, ended, exported and erased as every other one, and guards that check
 * revocation find it.
 *
 * @param methods The methods of client authentication that are on.
 */
export function clientCredentials(
  methods: readonly ClientAuthenticationMethod[],
  authorizations: Authorizations,
  grants: Grants,
  tokens: AccessTokens,
): GrantType {
  return {
    isOffered: ({ policy }) =>
      policy.clients.some((client) => mayUse(grantType, client) && canAuthenticate(client, methods)),

    // Nothing that was issued is presented. Only a company's own clients come here, and the company says where their keys are.
    checkIssued() {},

    async grant({ client, form, tenant, since }) {
      const { clientId } = client
      if (!client.isAuthenticated) throw notAuthenticated(clientId)
      const asked = { scopes: form.get('scope'), resources: form.all('resource') }
      const terms = authorizations.terms(asked, clientId, tenant)
      const grant = grantOfOneToken({ clientId, subject: subjectOfClient(clientId), ...terms }, tenant)
      await useUp(client, true)
      const issued = await tokens.issueFirst(grant, { grantType, key: client.key?.thumbprint }, tenant)
      await grants.createForToken(grant, tenant, since)
      return {
        ...issued,
        scopes: terms.scopes,
        event: { type: 'issued', grantType, ...terms, tenantKey: tenant.key, ...contextOf(grant) },
      }
    },
  }
}
