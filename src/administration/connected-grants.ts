import { strangerFault } from '../clients/client-metadata'
import type { MetadataDocuments } from '../clients/metadata-documents'
import type { RegistrationRules, Registrations } from '../clients/registrations'
import type { Grant } from '../contract/token-store'
import { isConnected } from '../grants/credential'
import { withinTime } from '../host/call-host'
import { type Languages, type LanguageTag, languageTagOf } from '../pages/languages'
import type { ScopeTexts, ShownScope } from '../pages/scope-words'
import { isLoopbackHost } from '../protocol/redirect-uri'
import { shownId } from '../protocol/registered-id'
import { issuerOfGrant } from '../protocol/trusted-issuer-claim'
import type { NamedTenant } from './tenant-data'

/** What a scope is called, for a page. */
export interface GrantedScope extends ShownScope {
  /** The scope token. */
  scope: string
}

/** What a customer can be told of a connected client. */
interface ConnectedClient {
  /**
   * Its name, as the consent page shows it. If it has none, or is gone, this is its publisher, or else the beginning of its id. Unverified
   * unless `vouchedFor` is true: the client has chosen it itself.
   */
  clientName: string
  /** The host that publishes the client's metadata document, if it has one: the only thing about such a client that is proven. */
  publisher?: string | undefined
  /** Whether the company itself vouches for the name, because the client is in its record. */
  vouchedFor: boolean
  /**
   * Where sign-ins with this client can end: the hosts of its redirect URIs, and for an app on a device of the customer's, that in words.
   * Empty if this is not known.
   */
  destinations: string[]
}

/** A client that a customer has connected, for a "Connected apps" page. Times are milliseconds since 1970. */
export interface ConnectedGrant extends ConnectedClient {
  /** What {@link CustomerGrants.revoke} takes. */
  grantId: string
  /** The client. */
  clientId: string
  /** The customer inside the tenant. */
  subject: string
  /** What the customer has granted. */
  scopes: string[]
  /** The same in words, in the same order. */
  scopeTexts: GrantedScope[]
  /** The protected API that its tokens are for. */
  resource: string
  /** The company's trusted issuer that has vouched for the customer: the company's own sign-in manages the grant. Absent if the customer agreed. */
  issuer?: string | undefined
  /** When the customer agreed, and the grant was created. */
  connectedAt: number
  /** When its code or a refresh token was last redeemed. */
  lastUsedAt: number
  /** When it ends unless it is used again. */
  expiresAt: number
}

// How long a list waits for metadata documents that this process has never seen. Milliseconds.
const maxWait = 1000

/** Tells grants as a page shows them. */
export type ConnectedGrants = ReturnType<typeof connectedGrants>

/**
 * @param documents Absent if clients cannot identify themselves by a metadata document.
 * @param locale The language of companies that have chosen none.
 */
export function connectedGrants(
  registrations: Registrations,
  documents: MetadataDocuments | undefined,
  { appRedirects, baseUrl }: Pick<RegistrationRules, 'appRedirects'> & { baseUrl: string | undefined },
  scopeTexts: ScopeTexts,
  languages: Languages,
  locale: string,
) {
  /** @param onDevice What an app on a device of the customer's is called. */
  function clientOf(clientId: string, tenant: NamedTenant, onDevice: string): ConnectedClient {
    const own = tenant.clients.find((client) => client.clientId === clientId)
    const publisher = !own && documents?.isDocumentUrl(clientId) ? new URL(clientId).host : undefined
    const stranger = () =>
      publisher === undefined ? registrations.read(clientId, tenant.id) : documents?.remembered(clientId)
    const { clientName = publisher ?? shownId(clientId), redirectUris = [] } = own ?? stranger() ?? {}
    const ownAddresses = tenant.ownAddresses.concat(baseUrl ?? [])
    const isPossible = (uri: string) =>
      own !== undefined || strangerFault(uri, appRedirects, ownAddresses) === undefined
    return {
      clientName,
      vouchedFor: own !== undefined,
      destinations: [...new Set(redirectUris.filter(isPossible).map((uri) => hostOf(uri) ?? onDevice))],
      ...(publisher !== undefined && { publisher }),
    }
  }

  /** Fetches the documents that this process has never seen. A list does not wait for them for long, and fails with none of them. */
  async function fetchDocuments(clientIds: readonly string[], { id, key, clients }: NamedTenant): Promise<void> {
    if (!documents || key === undefined) return
    const unseen = clientIds
      .filter((clientId) => clients.every((own) => own.clientId !== clientId))
      .filter((clientId) => documents.isDocumentUrl(clientId) && !documents.remembered(clientId))
    const fetching = unseen.map((clientId) => documents.find(clientId, { id, key }))
    await withinTime(Promise.allSettled(fetching), maxWait, () => [])
  }

  /**
   * Describes those of a company's grants whose code has been redeemed.
   *
   * @param language The tag of the language of what is in words. Default: the company's.
   */
  return async (
    grants: readonly Grant[],
    tenant: NamedTenant,
    language: string | undefined,
  ): Promise<ConnectedGrant[]> => {
    const connected = grants.filter(isConnected)
    const asked = language ?? tenant.locale ?? locale
    const tag = languageTagOf(asked) as LanguageTag
    const { onDevice } = languages.choose([asked]).words.consent
    const clientIds = [...new Set(connected.map(({ clientId }) => clientId))]
    await fetchDocuments(clientIds, tenant)
    const clients = new Map(clientIds.map((clientId) => [clientId, clientOf(clientId, tenant, onDevice)]))
    return connected.map(({ grantId, clientId, subject, scopes, resource, claims, createdAt, expiresAt, swap }) => ({
      grantId,
      clientId,
      ...(clients.get(clientId) as ConnectedClient),
      subject,
      scopes: [...scopes],
      scopeTexts: scopes.map((scope) => ({ scope, ...scopeTexts.in(tag, scope) })),
      resource,
      ...issuerOfGrant({ claims }),
      connectedAt: createdAt,
      lastUsedAt: swap?.at ?? createdAt,
      expiresAt,
    }))
  }
}

/** Who receives what is sent to a redirect URI. Undefined if it is an app on a device of the customer's. */
function hostOf(redirectUri: string): string | undefined {
  const { protocol, hostname, host } = new URL(redirectUri)
  return protocol === 'https:' && !isLoopbackHost(hostname) ? host : undefined
}
