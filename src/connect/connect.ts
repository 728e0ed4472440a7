import {
  acceptPublic,
  authenticationOfDocument,
  authenticationOfRegistration,
  isConfidential,
} from '../client-authentication/methods'
import { strangerFault } from '../clients/client-metadata'
import { refusingRule } from '../clients/permissions'
import type { RegistrationRules } from '../clients/registrations'
import { optional, requirements, resource, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { KnownAssistant } from '../contract/tenant-store'
import { type Language, type Languages, languageTag } from '../pages/languages'
import type { Words } from '../pages/words'
import { canonicalResource } from '../protocol/resource'
import { type ResolvedTenant, spelledByTenant } from '../tenants/resolved-tenant'
import type { Tenants } from '../tenants/tenants'

/** The company, and the API, that a "Connect an assistant" page is for. */
export interface ConnectRequest {
  /** The company. */
  tenantKey: string
  /** One of the company's APIs. Default: the first of its resources. */
  resource?: string | undefined
  /**
   * The language of the steps: a tag, such as `de` (RFC 5646). If there are no words in it, they are in that of the option `pages.locale`, or else
   * in English. Default: the tenant's `locale`, or else the option.
   */
  language?: string | undefined
}

/** What a "Connect an assistant" page shows. Escape each text for HTML. */
export interface ConnectGuide {
  /** The address of the company's MCP server, which the customer pastes into an assistant. */
  address: string
  /** The company's name, or its key if it has none. */
  tenantName: string
  /** The name that commands and configurations give to the server: lower-case letters, digits and hyphens. */
  serverName: string
  /** The assistants that the company lets in, those that most people use first. */
  assistants: AssistantGuide[]
}

/** How a customer adds a company's MCP server to one assistant. */
export interface AssistantGuide {
  /** Names the assistant for the host's own code, such as `claude-code`. It never changes. */
  id: string
  /** The name of the assistant. */
  name: string
  /** What the customer does, in words. The names of the assistant's own menus and buttons stand in them in quotation marks, in English. */
  steps: string[]
  /** The page or dialog of the assistant to open, with the server filled in as far as the assistant allows it. Its scheme may be the app's. */
  link?: string | undefined
  /** The command to run. It has nothing that needs quotes, and is the same in every shell. */
  command?: string | undefined
  /** What to add to a configuration file of the assistant. */
  config?: { file: string; text: string } | undefined
  /** The client id to enter, if the assistant connects with one from the company's own `clients`. The steps say where. */
  clientId?: string | undefined
  /** The public address where this was read. */
  source: string
  /** The day on which it was read, such as `2026-11-23`. */
  checkedOn: string
}

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
export interface ConnectableAssistant extends Pick<AssistantGuide, 'id' | 'name' | 'source' | 'checkedOn'> {
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
}

/** What of the options decides which assistants are let in. */
interface WayInRules extends RegistrationRules {
  /** Whether documents may be fetched at port 443, where those of all assistants are. */
  fetchesDocuments: boolean
}

const checkedMembers = requirements({
  tenantKey: text,
  resource: optional(resource),
  language: optional(languageTag),
})

/** Gives what a "Connect an assistant" page of a company shows. */
export async function connect(
  given: ConnectRequest,
  baseUrl: () => string,
  tenants: Tenants,
  assistants: readonly ConnectableAssistant[],
  rules: WayInRules,
  languages: Languages,
): Promise<ConnectGuide> {
  const checked = checkedMembers(given, 'connect')
  const tenant = await tenants.find(checked.tenantKey, baseUrl())
  const address = addressOf(tenant, checked.resource)
  const title = tenant.look.name ?? tenant.key
  const server = { address, name: serverNameOf(tenant.key), title }
  const language = languages.choose([checked.language ?? tenant.look.locale ?? ''])
  const guides = assistants.flatMap((assistant) => guideTo(assistant, server, tenant, rules, language) ?? [])
  return { address, tenantName: title, serverName: server.name, assistants: guides }
}

/** The address of the API, as the company spells it: assistants compare it with the API's metadata as text. */
function addressOf(tenant: ResolvedTenant, named: string | undefined): string {
  if (named !== undefined) {
    const address = spelledByTenant(canonicalResource(named) ?? named, tenant)
    if (address !== undefined) return address
    throw new ConfigurationError('connect.resource', named, 'one of the resources of the tenant', { quotes: true })
  }
  const [first] = tenant.address.resources
  if (first !== tenant.address.issuer) return first
  throw new ConfigurationError('connect', undefined, 'called for a tenant that has an API', {
    says: 'finds no API of the tenant: announce one with protectedResource, or name it in the resources of the tenant',
  })
}

/** Undefined if the assistant cannot connect, or if the command that adds the server could mean something else in some shell. */
function guideTo(
  assistant: ConnectableAssistant,
  server: McpServer,
  tenant: ResolvedTenant,
  rules: WayInRules,
  language: Language,
): AssistantGuide | undefined {
  if (assistant.isHosted && new URL(server.address).protocol !== 'https:') return undefined
  const wayIn = wayInOf(assistant, tenant, rules)
  if (!wayIn) return undefined
  const { id, name, link, source, checkedOn } = assistant
  const command = assistant.command && commandLine(assistant.command(server))
  if (assistant.command && command === undefined) return undefined
  const config = assistant.config?.(server)
  return {
    id,
    name,
    steps: wayIn.steps.map((step) => inWords(step, language)),
    ...(link && { link: link(server) }),
    ...(command !== undefined && { command }),
    ...(config && { config: { file: config.file, text: JSON.stringify(config.content, null, 2) } }),
    ...(wayIn.clientId !== undefined && { clientId: wayIn.clientId }),
    source,
    checkedOn,
  }
}

/**
 * A step in words: each name in quotation marks, except `{app}`. Where the words are written from right to left, each is isolated, so that a
 * command is not turned around.
 */
function inWords({ say, ...names }: Step, { direction, words }: Language): string {
  return words.steps[say].replace(/\{(\w+)\}/g, (_, slot: string) => {
    const name = String(names[slot])
    const isolated = direction === 'rtl' ? `\u2066${name}\u2069` : name
    return slot === 'app' ? isolated : words.consent.quote.replace('{name}', () => isolated)
  })
}

/** How a company lets an assistant in. Undefined if it does not. */
function wayInOf(
  assistant: ConnectableAssistant,
  tenant: ResolvedTenant,
  rules: WayInRules,
): (Pick<AssistantGuide, 'clientId'> & { steps: readonly Step[] }) | undefined {
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
    policy.metadataDocuments && document && isPossible(() => authenticationOfDocument(document, authentication))
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

/**
 * The name of a company's MCP server in commands and configuration files, which allow little more than letters, digits and hyphens: the
 * tenant's key, in lower case, with a hyphen in place of everything else.
 */
export function serverNameOf(tenantKey: string): string {
  const name = tenantKey
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  // A key can consist of dots, hyphens and the like alone.
  return name === '' ? 'mcp-server' : name
}

// What every shell reads as nothing but itself: sh, bash and zsh, PowerShell, cmd.exe.
const plainWord = /^[\w./:-]+$/

/**
 * A command as a line to paste into any shell. No quotes mean the same in all shells, so none are used.
 *
 * @param words The program, and its arguments.
 * @returns Undefined if a word needs quotes in some shell.
 */
export function commandLine(words: readonly string[]): string | undefined {
  return words.every((word) => plainWord.test(word)) ? words.join(' ') : undefined
}
