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
import { isClientId } from '../protocol/client-id'
import { grantTypes, isGrantType } from '../protocol/grant-types'
import { ownRedirectUriFault } from '../protocol/redirect-uri'
import type { Client } from '../stores/tenant-store'

const isRedirectUri = rememberAccepted((text) => ownRedirectUriFault(text) === undefined)

const redirectUri: Check<string> = (given, name) => {
  if (typeof given === 'string' && isRedirectUri(given)) return given
  throw new ConfigurationError(name, given, 'a redirect URI', { says: ownRedirectUriFault(given) })
}

const grantType = must<string>(grantTypes.join(' or '), isGrantType, { quotes: true })

const clientRecord: Check<Client> = record({
  clientId: must<string>(
    'a string of 1 to 2048 characters of printable ASCII',
    (given) => typeof given === 'string' && isClientId(given),
    { quotes: true },
  ),
  clientName: nullable(text),
  clientUri: nullable(httpUrl),
  redirectUris: listOf(redirectUri),
  grantTypes: nullable(distinct(grantType)),
  scopes: nullable(distinct(scopeToken)),
  firstParty: nullable(flag),
})

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
