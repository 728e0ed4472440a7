import { credentialMembers } from '../client-authentication/methods'
import {
  type Check,
  distinct,
  flag,
  httpUrl,
  listOf,
  must,
  nullable,
  record,
  rememberAccepted,
  scopeToken,
  text,
} from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { Client } from '../contract/tenant-store'
import { isClientId } from '../protocol/client-id'
import { grantTypes, isGrantType } from '../protocol/grant-types'
import { ownRedirectUriFault } from '../protocol/redirect-uri'
import { isRegisteredId } from '../protocol/registered-id'
import { askConsent } from './ask-consent'

const isRedirectUri = rememberAccepted((text) => ownRedirectUriFault(text) === undefined)

const redirectUri: Check<string> = (given, name) => {
  if (typeof given === 'string' && isRedirectUri(given)) return given
  throw new ConfigurationError(name, given, 'a redirect URI', { says: ownRedirectUriFault(given) })
}

const grantType = must<string>(grantTypes.join(' or '), isGrantType, { quotes: true })

const clientMembers = record({
  clientId: must<string>(
    'a string of 1 to 2048 characters of printable ASCII that does not begin with dcr_, as the ids of registered clients do',
    (given) => typeof given === 'string' && isClientId(given) && !isRegisteredId(given),
    { quotes: true },
  ),
  clientName: nullable(text),
  clientUri: nullable(httpUrl),
  redirectUris: listOf(redirectUri),
  grantTypes: nullable(distinct(grantType)),
  scopes: nullable(distinct(scopeToken)),
  firstParty: nullable(flag),
  askConsent: nullable(askConsent),
  ...credentialMembers,
})

const clientRecord: Check<Client> = (given, name) => {
  const client = clientMembers(given, name)
  if (client.jwks === undefined || client.jwksUri === undefined) return client
  throw new ConfigurationError(`${name}.jwksUri`, client.jwksUri, 'omitted where jwks is given', {
    says: 'must be omitted, because the client has jwks',
  })
}

/** Checks the clients of a tenant's record, and returns each without its null members. */
export const clientRecords: Check<Client[]> = (given, name) => {
  const clients = listOf(clientRecord)(given, name)
  const seen = new Set<string>()
  for (const [index, { clientId }] of clients.entries()) {
    if (seen.has(clientId)) {
      throw new ConfigurationError(`${name}[${index}].clientId`, clientId, 'the id of no other client', {
        says: `is ${JSON.stringify(clientId)}, which another client has already`,
      })
    }
    seen.add(clientId)
  }
  return clients
}
