import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ConnectedGrant } from '../administration/connected-grants'
import type { CustomerGrants } from '../administration/customer-grants'
import type { ConsentTokens } from '../authorization/consent-tokens'
import { identifier, must, record, requirements, text } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import type { RespondWithErrorPage } from '../endpoints/error-pages'
import { callHost, type HookAnswer } from '../host/call-host'
import { type Emit, type Place, reportError } from '../host/emitter'
import { parametersOf, readFormOfHost } from '../http/body'
import { responseBegins } from '../http/node-messages'
import type { BaseUrl } from '../http/request-address'
import { nosniff, removeCors, sendResponse } from '../http/responses'
import type { Appearances } from '../pages/appearance'
import {
  type ConnectedApp,
  respondWithConnectedApps,
  respondWithDisconnectQuestion,
} from '../pages/connected-apps-page'
import { oauthError, temporarilyUnavailable } from '../protocol/oauth-error'
import type { Middleware } from '../resource-server/require-access-token'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import type { Tenants } from '../tenants/tenants'

/** Whose page it is. */
export interface CustomerOfPage {
  /** The key of the company. */
  tenantKey: string
  /** The customer inside the company, as in {@link Customer}. */
  subject: string
}

/**
 * Says whose page it is, from the session of the request alone: nothing of its path, query or body does. Returns nothing if it has answered the
 * request with the login page.
 *
 * @useDeclaredType
 */
export type WhoHook = {
  // The type of a method is bivariant, so a host may declare the request and response types of its framework.
  who(req: IncomingMessage, res: ServerResponse): HookAnswer<CustomerOfPage | null>
}['who']

/** What the page of connected apps needs. */
export interface ConnectedAppsOptions {
  /** Whose page it is. */
  who: WhoHook
}

/** What the page works with. */
interface PageRooms {
  grants: CustomerGrants
  tenants: Tenants
  baseUrl: BaseUrl
  tokens: ConsentTokens
  appearances: Appearances
  errorPage: RespondWithErrorPage
  timeout: number
  emit: Emit
}

const where = 'pages.connectedApps'
const checkedOptions = requirements({ who: must<WhoHook>('a function', (given) => typeof given === 'function') })
const customerOfPage = record({ tenantKey: text, subject: identifier })
// Of a customer, with 100 grants each. No customer has more.
const maxPages = 20

/** A request for the page, and whose it is. */
interface Visit {
  req: IncomingMessage
  res: ServerResponse
  customer: CustomerOfPage
  tenant: ResolvedTenant
}

/** The page on which customers see what they have connected, and disconnect it. */
export function connectedApps(given: ConnectedAppsOptions, rooms: PageRooms): Middleware {
  const { who } = checkedOptions(given, where)
  return (request, response) => void answered(request as IncomingMessage, response as ServerResponse, who, rooms)
}

async function answered(req: IncomingMessage, res: ServerResponse, who: WhoHook, rooms: PageRooms): Promise<void> {
  const place: Place = { where }
  let tenant: ResolvedTenant | undefined
  try {
    removeCors(res)
    checkMethod(req)
    const customer = await customerOf(req, res, who, rooms)
    if (!customer) return
    Object.assign(place, customer)
    tenant = await rooms.tenants.find(customer.tenantKey, rooms.baseUrl.current(req))
    place.tenantId = tenant.id
    const visit = { req, res, customer, tenant }
    if (req.method === 'POST') await submitted(visit, rooms)
    else await shown(visit, asked(req), rooms)
  } catch (thrown) {
    await rooms.errorPage(req, res, reportError(thrown, place, rooms.emit), tenant)
  }
}

function checkMethod({ method = '' }: IncomingMessage): void {
  if (['GET', 'HEAD', 'POST'].includes(method)) return
  throw oauthError('method_not_allowed', 'The method must be GET, HEAD or POST', {
    headers: { Allow: 'GET, HEAD, POST' },
  })
}

/** Asks the host whose page it is. @returns Undefined if the host has answered the request. */
async function customerOf(
  req: IncomingMessage,
  res: ServerResponse,
  who: WhoHook,
  { timeout }: PageRooms,
): Promise<CustomerOfPage | undefined> {
  const given = await callHost(`${where}.who`, 'unlimited', () => who(req, res))
  if (given !== undefined && given !== null) return checkedCustomer(given)
  if (await responseBegins(res, timeout)) return undefined
  throw temporarilyUnavailable(new Error(`${where}.who returned nobody and did not answer the request`), 'hook_failed')
}

function checkedCustomer(given: CustomerOfPage): CustomerOfPage {
  try {
    return customerOfPage(given, `${where}.who`)
  } catch {
    throw temporarilyUnavailable(
      wrongAnswer(`${where}.who`, given, 'a tenantKey and a subject, or nothing'),
      'hook_failed',
    )
  }
}

/** Which app is to be disconnected: one by its id, or all (empty). Undefined for the list. */
function asked({ url = '' }: IncomingMessage): string | undefined {
  const [, query = ''] = url.split(/\?(.*)/s)
  const { disconnect, client_id: clientId } = parametersOf(query)
  if (disconnect === 'all') return ''
  return disconnect === 'one' && typeof clientId === 'string' ? clientId || undefined : undefined
}

/** Shows the list, or the question before something is disconnected. */
async function shown(visit: Visit, clientId: string | undefined, rooms: PageRooms): Promise<void> {
  const { req, res, tenant } = visit
  const tenantName = tenant.look.name ?? tenant.key
  const appearance = rooms.appearances.of(req, tenant.look)
  const apps = await appsOf(visit, appearance.language.tag, rooms)
  const app = apps.find((one) => one.clientId === clientId)
  if (clientId === undefined || apps.length === 0 || (clientId !== '' && !app)) {
    respondWithConnectedApps(res, { tenantName, apps }, appearance)
    return
  }
  const token = rooms.tokens.issue(subjectOf(visit, clientId))
  const accessLeft = tenant.policy.lifetimes.accessToken
  respondWithDisconnectQuestion(res, { tenantName, app, accessLeft, token }, appearance)
}

/**
 * Disconnects what the form says, if it is one of this customer's own pages. A form of another site has no token, and one that is too old is
 * asked again.
 */
async function submitted(visit: Visit, rooms: PageRooms): Promise<void> {
  const { req, res, customer } = visit
  const form = await readFormOfHost(req, res)
  const clientId = form.get('client_id') ?? ''
  const decision = form.get('decision')
  const isOurs = isSameOrigin(req) && rooms.tokens.pageOf(form.get('page_token') ?? '', subjectOf(visit, clientId))
  if (decision === 'allow' && !isOurs) return shown(visit, clientId, rooms)
  if (decision === 'allow')
    await rooms.grants.revokeAll({ ...customer, actor: 'customer', ...(clientId !== '' && { clientId }) })
  // Back to the list. A reload sends no form again.
  sendResponse(res, 303, { Location: '?', 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', ...nosniff })
}

/** Whether the browser says that the form is of another site. `Origin` is `null` where a page has a strict `Referrer-Policy`. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  return ['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined)
}

/** What a token of the question is bound to. */
function subjectOf({ customer, tenant }: Visit, clientId: string) {
  return { tenantId: tenant.id, subject: customer.subject, query: 'connected apps', shown: [clientId] }
}

/** What the customer has connected: one entry for each client, the newest first. */
async function appsOf({ customer }: Visit, language: string, { grants }: PageRooms): Promise<ConnectedApp[]> {
  const apps = new Map<string, ConnectedApp>()
  let after: string | undefined
  for (let count = 0; count < maxPages; count++) {
    const page = await grants.list({ ...customer, language, after })
    for (const grant of page.grants) apps.set(grant.clientId, merged(apps.get(grant.clientId), grant))
    after = page.next
    if (after === undefined) break
  }
  return [...apps.values()].sort((one, other) => other.connectedAt - one.connectedAt)
}

function merged(app: ConnectedApp | undefined, grant: ConnectedGrant): ConnectedApp {
  const { clientId, clientName, vouchedFor, publisher, destinations, connectedAt, lastUsedAt, issuer } = grant
  const scopes = [...(app?.scopes ?? []), ...grant.scopeTexts]
  const isFirst = (text: string, index: number) => scopes.findIndex((other) => other.text === text) === index
  return {
    clientId,
    clientName,
    vouchedFor,
    publisher,
    destinations,
    scopes: scopes.filter(({ text }, index) => isFirst(text, index)),
    isManaged: issuer !== undefined || app?.isManaged === true,
    connectedAt: Math.min(connectedAt, app?.connectedAt ?? connectedAt),
    lastUsedAt: Math.max(lastUsedAt, app?.lastUsedAt ?? lastUsedAt),
  }
}
