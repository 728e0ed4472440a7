import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ConsentTokens } from '../authorization/consent-tokens'
import type { Check } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import type { RespondWithErrorPage } from '../endpoints/error-pages'
import { callHost, type HookAnswer } from '../host/call-host'
import { type Emit, type Place, reportError } from '../host/emitter'
import { readFormOfHost } from '../http/body'
import { responseBegins } from '../http/node-messages'
import type { BaseUrl } from '../http/request-address'
import { nosniff, removeCors, sendResponse } from '../http/responses'
import type { Appearance, Appearances } from '../pages/appearance'
import { decisionButtons } from '../pages/consent-page'
import { Html, html } from '../pages/html'
import { logo, respondWithPage } from '../pages/page'
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
  /** Checks what the hook returns, which may be a session with other members. */
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
  question?(of: Fields, visit: Visit<Who>): Promise<Question | undefined>
}

/** The fields of an address or of a form. One that is not there is empty. */
export type Fields = (name: string) => string

/** What is asked before something changes. */
export interface Question {
  heading: Html
  /** What it is about, as parts of a description list. */
  about?: Html | undefined
  /** What happens then. */
  effect?: string | Html | undefined
  /** The label of the button that does it. */
  confirm: string
  /** What the form carries. Its token is good for nothing else. */
  fields: Readonly<Record<string, string>>
  /** Does it. */
  confirmed(): Promise<unknown>
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
    const name = `${where}.who`
    const given = await callHost(name, 'unlimited', () => hook(req, res))
    if (given === undefined || given === null) {
      if (await responseBegins(res, rooms.timeout)) return undefined
      throw temporarilyUnavailable(new Error(`${name} returned nobody and did not answer the request`), 'hook_failed')
    }
    try {
      return page.whose(given, name)
    } catch {
      throw temporarilyUnavailable(wrongAnswer(name, given, page.expected), 'hook_failed')
    }
  }

  /** Does what a form of this page says, asks before that, or shows what there is. GET changes nothing. */
  async function respond(visit: Visit<Who>): Promise<void> {
    const { req, res, who, tenant } = visit
    const isForm = req.method === 'POST'
    const fields = isForm ? await readFormOfHost(req, res) : new URLSearchParams(req.url?.split(/\?(.*)/s)[1])
    // A field that is there more than once says nothing.
    const of = (name: string) => (fields.getAll(name).length === 1 ? String(fields.get(name)) : '')
    if (isForm && of('decision') !== 'allow') return backToPage(res)
    const question = await page.question?.(of, visit)
    if (!question) return isForm ? backToPage(res) : page.show(visit, of)
    // What the token is good for: this page, whoever is asked, and what they are asked.
    const shown = Object.entries(question.fields).flat()
    const bound = { tenantId: tenant.id, subject: JSON.stringify(who), query: where, shown }
    if (isForm && isSameOrigin(req) && rooms.tokens.pageOf(of('page_token'), bound)) {
      await question.confirmed()
      return backToPage(res)
    }
    ask(question, rooms.tokens.issue(bound), visit)
  }
}

/** Asks before something changes. Its form has the rules of the consent page: a press counts only after 0.7 s. */
function ask(
  { heading, about, effect, confirm, fields }: Question,
  token: string,
  { res, appearance }: Visit<unknown>,
): void {
  const { words } = appearance.language
  const body = html`${logo(appearance)}
<h1>${heading}</h1>
${about && html`<dl>${about}</dl>`}
${effect !== undefined && html`<p>${effect}</p>`}
<form method="post" action="?">
${Object.entries({ ...fields, page_token: token }).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}
${decisionButtons({ deny: words.connected.cancel, allow: confirm }, words)}
</form>`
  // A title has no elements.
  const title = new Html(heading.text.replace(/<\/?bdi>/g, ''))
  respondWithPage(res, 200, { title, body, kind: 'question' }, appearance)
}

/** Whether the browser says that the form is of this site. `Origin` is `null` where a page has a strict `Referrer-Policy`. */
function isSameOrigin({ headers }: IncomingMessage): boolean {
  return ['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined)
}

/** A reload of what comes then sends no form again. */
function backToPage(res: ServerResponse): void {
  sendResponse(res, 303, { Location: '?', 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', ...nosniff })
}
