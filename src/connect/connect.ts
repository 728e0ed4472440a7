import { optional, requirements, resource, text } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import { type Language, type Languages, languageTag } from '../pages/languages'
import { quotedSentence } from '../pages/words'
import { canonicalResource } from '../protocol/resource'
import { type ResolvedTenant, spelledByTenant } from '../tenants/resolved-tenant'
import type { Tenants } from '../tenants/tenants'
import { type ConnectableAssistant, type McpServer, type WayInRules, wayInOf } from './way-in'

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
    steps: wayIn.steps.map(({ say, ...names }) => quotedSentence(language.words.steps[say], names, language)),
    ...(link && { link: link(server) }),
    ...(command !== undefined && { command }),
    ...(config && { config: { file: config.file, text: JSON.stringify(config.content, null, 2) } }),
    ...(wayIn.clientId !== undefined && { clientId: wayIn.clientId }),
    source,
    checkedOn,
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
