import type { ConnectableAssistant } from '../assistants/connectable-assistants'
import { knownAssistants } from '../assistants/known-assistants'
import type { AuthenticationRules } from '../client-authentication/method'
import {
  acceptPublic,
  authenticationOfDocument,
  authenticationOfRegistration,
  isConfidential,
} from '../client-authentication/methods'
import { strangerFault } from '../clients/client-metadata'
import { refusingRule } from '../tenants/client-rules'
import type { ResolvedTenant } from '../tenants/tenants'

/** What of the options decides which assistants are let in. */
export interface WayInRules {
  /** Redirect URIs of apps that are accepted although their scheme has no dot. */
  appRedirects: readonly string[]
  authentication: AuthenticationRules
  /** Whether documents may be fetched at port 443, where those of all assistants are. */
  fetchesDocuments: boolean
}

/** How an assistant is let in. */
export interface WayIn {
  /** What the customer does. */
  steps: readonly string[]
  /** The id that the company has given to the assistant, which the customer enters. Absent if the assistant introduces itself. */
  clientId?: string | undefined
}

/** How a company lets an assistant in. Undefined if it does not. */
export function wayInOf(assistant: ConnectableAssistant, tenant: ResolvedTenant, rules: WayInRules): WayIn | undefined {
  if (introducesItself(assistant, tenant, rules)) return { steps: assistant.steps }
  const { stepsWithClientId: steps, redirectUris } = assistant
  if (!steps || !acceptPublic(rules.authentication.methods)) return undefined
  // A client with a secret is set up by whoever has the secret.
  const own = tenant.clients.find(
    (client) =>
      !isConfidential(client) && redirectUris.every((redirectUri) => client.redirectUris.includes(redirectUri)),
  )
  return own && { steps, clientId: own.clientId }
}

/** Whether an assistant can introduce itself by its metadata document or by registering, as it would. */
function introducesItself(
  { document, redirectUris, registersFor }: ConnectableAssistant,
  { ownAddresses, metadataDocuments, registration, clientRules }: ResolvedTenant,
  { appRedirects, authentication, fetchesDocuments }: WayInRules,
): boolean {
  // An app gives up if one of its addresses is left out.
  if (redirectUris.some((redirectUri) => strangerFault(redirectUri, appRedirects, ownAddresses) !== undefined))
    return false
  // Where the server's metadata offers documents and a method that its own has, an assistant does not register, even if that would help.
  const usesDocument =
    metadataDocuments &&
    document !== undefined &&
    isPossible(() => authenticationOfDocument(documentAt(document), authentication))
  const isAllowed = (clientId: string, isDocument: boolean) =>
    refusingRule({ clientId, isDocument, redirectUris }, clientRules) === undefined
  if (usesDocument) return fetchesDocuments && isAllowed(document, true)
  const method = { token_endpoint_auth_method: registersFor }
  return registration && isAllowed('', false) && isPossible(() => authenticationOfRegistration(method, authentication))
}

function documentAt(address: string): Readonly<Record<string, unknown>> {
  return knownAssistants.find(({ document }) => document.client_id === address)?.document ?? {}
}

/** @param choose Throws nothing but the `OAuthError` of a refusal. */
function isPossible(choose: () => unknown): boolean {
  try {
    choose()
    return true
  } catch {
    return false
  }
}
