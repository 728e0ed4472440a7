import {
  acceptPublic,
  authenticationOfDocument,
  authenticationOfRegistration,
  isConfidential,
} from '../client-authentication/methods'
import { strangerFault } from '../clients/client-metadata'
import { refusingRule } from '../clients/permissions'
import type { RegistrationRules } from '../clients/registrations'
import type { KnownAssistant } from '../contract/tenant-store'
import type { Words } from '../pages/words'
import type { ResolvedTenant } from '../tenants/resolved-tenant'

/** The MCP server of a company, as an assistant is told of it. */
export interface McpServer {
  address: string
  /** For commands and configuration files. */
  name: string
  /** The company's name, for people. */
  title: string
}

/** A sentence of the table of words, and what stands in its slots: names of the assistant's own, which are the same in every language. */
export type Step = { readonly say: keyof Words['steps'] } & Readonly<Record<string, string>>

/** An assistant to which a customer can add an MCP server by its address. */
export interface ConnectableAssistant {
  id: string
  name: string
  /** Whether it connects from its maker's servers, which reach only https addresses on the internet. Default false. */
  isHosted?: boolean | undefined
  /** Its metadata document, if it has one. */
  document?: KnownAssistant | undefined
  /** Whether it registers although it has a document. */
  prefersToRegister?: boolean | undefined
  /** The redirect URIs without which it does not work. The port of a loopback address is any port. */
  redirectUris: readonly string[]
  /** The `token_endpoint_auth_method` of its registration, where it has no document or documents are off. Default `none`. */
  registersFor?: 'none' | 'client_secret_post' | undefined
  /** What the customer does. */
  steps: readonly Step[]
  /** The same where the customer enters a client id of the company's. Absent if the assistant has no field for it. */
  stepsWithClientId?: readonly Step[] | undefined
  link?: ((server: McpServer) => string) | undefined
  /** The program and its arguments. */
  command?: ((server: McpServer) => readonly string[]) | undefined
  config?: ((server: McpServer) => { file: string; content: object }) | undefined
  /** Where steps, link, command and configuration were read: a public address. */
  source: string
  /** The day on which they were read, such as `2026-11-23`. */
  checkedOn: string
}

/** What of the options decides which assistants are let in. */
export interface WayInRules extends RegistrationRules {
  /** Whether documents may be fetched at port 443, where those of all assistants are. */
  fetchesDocuments: boolean
}

/** How an assistant is let in. */
export interface WayIn {
  /** What the customer does. */
  steps: readonly Step[]
  /** The id that the company has given to the assistant, which the customer enters. Absent if the assistant introduces itself. */
  clientId?: string | undefined
}

/** How a company lets an assistant in. Undefined if it does not. */
export function wayInOf(assistant: ConnectableAssistant, tenant: ResolvedTenant, rules: WayInRules): WayIn | undefined {
  if (tenant.policy.enterpriseOnly) return undefined
  if (introducesItself(assistant, tenant, rules)) return { steps: assistant.steps }
  const { stepsWithClientId: steps, redirectUris } = assistant
  if (!steps || !acceptPublic(rules.authentication.methods)) return undefined
  // A client with a secret is set up by whoever has the secret.
  const own = tenant.policy.clients.find(
    (client) =>
      !isConfidential(client) && redirectUris.every((redirectUri) => client.redirectUris.includes(redirectUri)),
  )
  return own && { steps, clientId: own.clientId }
}

/** Whether an assistant can introduce itself by its metadata document or by registering, as it would. */
function introducesItself(
  { document: known, prefersToRegister, redirectUris, registersFor = 'none' }: ConnectableAssistant,
  { address, policy }: ResolvedTenant,
  { appRedirects, authentication, fetchesDocuments }: WayInRules,
): boolean {
  // An app gives up if one of its addresses is left out.
  if (redirectUris.some((redirectUri) => strangerFault(redirectUri, appRedirects, address.ownAddresses) !== undefined))
    return false
  // Where the server's metadata offers documents and a method that its own has, an assistant does not register, even if that would help.
  const document = prefersToRegister ? undefined : known?.document
  const usesDocument =
    policy.metadataDocuments &&
    document !== undefined &&
    isPossible(() => authenticationOfDocument(document, authentication))
  const isAllowed = (clientId: string, isDocument: boolean) =>
    refusingRule({ clientId, isDocument, redirectUris }, policy.clientRules) === undefined
  if (usesDocument) return fetchesDocuments && isAllowed(document.client_id, true)
  const method = { token_endpoint_auth_method: registersFor }
  return (
    policy.registration &&
    isAllowed('', false) &&
    isPossible(() => authenticationOfRegistration(method, authentication))
  )
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
