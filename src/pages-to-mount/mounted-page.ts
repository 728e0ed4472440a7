import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ConsentSubject, ConsentTokens } from '../authorization/consent-tokens'
import { type Check, type Checked, must, record } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import type { RespondWithErrorPage } from '../endpoints/error-pages'
import { callHost, type HookAnswer } from '../host/call-host'
import { type Emit, type Place, reportError } from '../host/emitter'
import { readFormOfHost } from '../http/body'
import { responseBegins } from '../http/node-messages'
import type { BaseUrl } from '../http/request-address'
import { nosniff, removeCors, sendResponse } from '../http/responses'
import type { Appearance, Appearances } from '../pages/appearance'
import { type Question, respondWithQuestion } from '../pages/question-page'
import { oauthError, temporarilyUnavailable } from '../protocol/oauth-error'
import type { Middleware } from '../resource-server/guards'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import type { Tenants } from '../tenants/tenants'

/**
 * Says whose page it is. The library takes nothing of that from the path, the query or the form. If you take the company from the path, check that
 * whoever is logged in belongs to it. Other members are ignored. Returns nothing if it has answered the request, with the login page for example.
 *
 * @useDeclaredType
 */
export type WhoHook<Who> = {
  // The type of a method is bivariant, so a host may declare the request and response types of its framework.
  who(req: IncomingMessage, res: ServerResponse): HookAnswer<Who | null>
}['who']

/** What every page works with. */
export interface PageRooms {
  tenants: Tenants
  baseUrl: BaseUrl
  tokens: ConsentTokens
  appearances: Appearances
  errorPage: RespondWithErrorPage
  timeout: number
  emit: Emit
}

/** A request for a page, whose it is, and how it looks. */
export interface Visit<Who> {
  req: IncomingMessage
  res: ServerResponse
  who: Who
  tenant: ResolvedTenant
  tenantName: string
  appearance: Appearance
}

/** A page that a host mounts. */
export interface MountedPage<Who> {
  /** What errors call it, such as `pages.connectedApps`. */
  where: string
  whose: Check<Who>
  /** What the hook returns, for the error about another answer. */
  expected: string
  /** @param of What the address says. */
  show(visit: Visit<Who>, of: Fields): Promise<void>
  /**
   * What is asked before something changes. Absent if the page changes nothing.
   *
   * @param of What the address of the question says, or its form.
   * @returns Undefined if there is nothing to ask.
   */
  question?(of: Fields, visit: Visit<Who>): Promise<PageQuestion | undefined>
}

/** The fields of an address or of a form. One that is not there is empty. */
export type Fields = (name: string) => string

/** What is asked before something changes. */
export interface PageQuestion extends Question {
  /** What the form carries. Its token is good for nothing else. */
  fields: Readonly<Record<string, string>>
  /** Does it. */
  confirmed(): Promise<unknown>
}

/** The check of what a hook returns, which may be a session with other members. */
export function somebody<T extends Record<string, Check<unknown>>>(members: T): Check<Checked<T>> {
  return record(members, () => true)
}

/** The check of the hook of a page's options. */
export function whoHook<Who>(): Check<WhoHook<Who>> {
  return must<WhoHook<Who>>('a function', (given) => typeof given === 'function')
}

/** Serves a page to whom the host names. */
export function mountedPage<Who extends { tenantKey: string; subject?: string | undefined }>(
  page: MountedPage<Who>,
  hook: WhoHook<Who>,
  rooms: PageRooms,
): Middleware {
  const { where } = page
  const methods = ['GET', 'HEAD', ...(page.question ? ['POST'] : [])]
  return (request, response) => void answer(request as IncomingMessage, response as ServerResponse)

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const place: Place = { where }
    let tenant: ResolvedTenant | undefined
    try {
      removeCors(res)
      checkMethod(req)
      const who = await asked(req, res)
      if (!who) return
      const { tenantKey, subject } = who
      Object.assign(place, { tenantKey, ...(subject !== undefined && { subject }) })
      tenant = await rooms.tenants.find(tenantKey, rooms.baseUrl.current(req))
      place.tenantId = tenant.id
      const appearance = rooms.appearances.of(req, tenant.look)
      await respond({ req, res, who, tenant, tenantName: tenant.look.name ?? tenant.key, appearance })
    } catch (thrown) {
      await rooms.errorPage(req, res, reportError(thrown, place, rooms.emit), tenant)
    }
  }

  function checkMethod({ method = '' }: IncomingMessage): void {
    if (methods.includes(method)) return
    const headers = { Allow: methods.join(', ') }
    throw oauthError('method_not_allowed', `The method must be ${methods.join(' or ')}`, { headers })
  }

  /** Asks the host whose page it is. @returns Undefined if the host has answered the request. */
  async function asked(req: IncomingMessage, res: ServerResponse): Promise<Who | undefined> {
    const given = await callHost(`${where}.who`, 'unlimited', () => hook(req, res))
    if (given !== undefined && given !== null) return checked(given)
    if (await responseBegins(res, rooms.timeout)) return undefined
    const silent = new Error(`${where}.who returned nobody and did not answer the request`)
    throw temporarilyUnavailable(silent, 'hook_failed')
  }

  function checked(given: Who): Who {
    try {
      return page.whose(given, `${where}.who`)
    } catch {
      throw temporarilyUnavailable(wrongAnswer(`${where}.who`, given, page.expected), 'hook_failed')
    }
  }

  /** Does what a form of this page says, asks before that, or shows what there is. GET changes nothing. */
  async function respond(visit: Visit<Who>): Promise<void> {
    const { req, res, appearance } = visit
    const isForm = req.method === 'POST'
    const fields = isForm ? await readFormOfHost(req, res) : queryOf(req)
    const of = (name: string) => onlyOne(fields.getAll(name))
    if (isForm && of('decision') !== 'allow') return backToPage(res)
    const question = await page.question?.(of, visit)
    if (!question) return isForm ? backToPage(res) : page.show(visit, of)
    const bound = boundTo(visit, question.fields)
    if (isForm && isSameOrigin(req) && rooms.tokens.pageOf(of('page_token'), bound)) {
      await question.confirmed()
      return backToPage(res)
    }
    respondWithQuestion(res, question, { ...question.fields, page_token: rooms.tokens.issue(bound) }, appearance)
  }

  /** What the token of a question is good for: this page, whoever is asked, and what they are asked. */
  function boundTo({ who, tenant }: Visit<Who>, fields: PageQuestion['fields']): ConsentSubject {
    const shown = Object.entries(fields).flat()
    return { tenantId: tenant.id, subject: JSON.stringify(who), query: where, shown }
  }
}

/** A field that is there more than once says nothing. */
function onlyOne(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : ''
}

function queryOf({ url = '' }: IncomingMessage): URLSearchParams {
  return new URLSearchParams(url.split(/\?(.*)/s)[1])
}

/** Whether the browser says that the form is of this site. `Origin` is `null` where a page has a strict `Referrer-Policy`. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  return ['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined)
}

/** A reload of what comes then sends no form again. */
function backToPage(res: ServerResponse): void {
  sendResponse(res, 303, { Location: '?', 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', ...nosniff })
}
