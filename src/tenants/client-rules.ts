import { type Check, listOf, must, nullable, record, rememberAccepted } from '../configuration/checks'
import type { ClientRule } from '../contract/tenant-store'
import { isClientId } from '../protocol/client-id'
import { isAppScheme, isRedirectHost, redirectHostOf } from '../protocol/redirect-uri'

/** The rules that apply at a tenant. */
export interface ClientRules {
  /** Undefined if every client is allowed. */
  allowed: ClientRule | undefined
  blocked: readonly ClientRule[]
}

/** The rule that keeps a client out. */
export type RefusingRule = 'allowedClients' | 'blockedClients'

/** What a client is judged by. */
export interface JudgedClient {
  clientId: string
  /** Whether its id is the address of a metadata document. */
  isDocument: boolean
  /** Empty as long as they are not known. */
  redirectUris: readonly string[]
}

const clientId = must<string>(
  'a client id: 1 to 2048 characters of printable ASCII',
  (given) => typeof given === 'string' && isClientId(given),
  { quotes: true },
)

const isHost = rememberAccepted(isRedirectHost)

const host = must<string>(
  'a host in lower case, such as claude.ai, without scheme, port and path; localhost for every loopback address',
  (given) => typeof given === 'string' && isHost(given),
  { quotes: true },
)

/** Checks where redirect URIs lead. */
export const redirectHost = must<string>(
  'a host in lower case, such as claude.ai; localhost for every loopback address; or the scheme of an app with its colon, such as cursor:',
  (given) => typeof given === 'string' && (isAppScheme(given) || isHost(given)),
  { quotes: true },
)

/** Checks a {@link ClientRule}, in an option or a tenant's record. */
export const clientRule: Check<ClientRule> = record({
  clientIds: nullable(listOf(clientId)),
  documentHosts: nullable(listOf(host)),
  redirectHosts: nullable(listOf(redirectHost)),
})

/** Whether there is anything to check. */
export function hasRules({ allowed, blocked }: ClientRules): boolean {
  return allowed !== undefined || blocked.length > 0
}

/** Whether a rule can allow a client that registers now. */
export function allowsRegistration(allowed: ClientRule | undefined): boolean {
  return allowed === undefined || (allowed.redirectHosts ?? []).length > 0
}

/** Whether a rule can allow a client with a metadata document. */
export function allowsDocuments(allowed: ClientRule | undefined): boolean {
  if (allowed === undefined) return true
  const { clientIds = [], documentHosts = [] } = allowed
  return documentHosts.length > 0 || clientIds.some((id) => URL.canParse(id))
}

/** The rule that keeps a client out, or undefined if none does. */
export function refusingRule(client: JudgedClient, { allowed, blocked }: ClientRules): RefusingRule | undefined {
  if (blocked.some((rule) => isNamed(client, rule) || client.redirectUris.some((uri) => leadsTo(uri, rule)))) {
    return 'blockedClients'
  }
  return allowed === undefined || isNamed(client, allowed) || leadsOnlyTo(client, allowed)
    ? undefined
    : 'allowedClients'
}

/** Whether a rule names a client by its id, or by the host of its document. */
export function isNamed(
  { clientId, isDocument }: Pick<JudgedClient, 'clientId' | 'isDocument'>,
  { clientIds = [], documentHosts = [] }: ClientRule,
): boolean {
  return clientIds.includes(clientId) || (isDocument && documentHosts.includes(redirectHostOf(clientId)))
}

/** Anybody can publish a document with somebody else's redirect URIs, and a refresh does not read it: its own address counts. */
function leadsOnlyTo({ isDocument, redirectUris }: JudgedClient, allowed: ClientRule): boolean {
  return !isDocument && redirectUris.length > 0 && redirectUris.every((uri) => leadsTo(uri, allowed))
}

function leadsTo(redirectUri: string, { redirectHosts = [] }: ClientRule): boolean {
  return redirectHosts.includes(redirectHostOf(redirectUri))
}
