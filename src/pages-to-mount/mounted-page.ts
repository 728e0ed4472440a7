import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ConsentSubject, type ConsentTokens, pageNotedFor } from '../authorization/consent-tokens'
import { PerMinute } from '../collections/per-minute'
import type { Check } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import type { RespondWithErrorPage } from '../endpoints/error-pages'
import { callHost, type HookAnswer } from '../host/call-host'
import { type Emit, type Place, reportError } from '../host/emitter'
import type { GuardedStore } from '../host/guarded-store'
import { readFormOfHost } from '../http/body'
import { responseBegins } from '../http/node-messages'
import { type BaseUrl, isSameOrigin } from '../http/request-address'
import { nosniff, removeCors, sendResponse } from '../http/responses'
import type { Appearance, Appearances } from '../pages/appearance'
import { decisionButtons } from '../pages/consent-page'
import { Html, html } from '../pages/html'
import { logo, respondWithPage } from '../pages/page'
import { sentence } from '../pages/words'
import { oauthError, temporarilyUnavailable } from '../protocol/oauth-error'
import { visible } from '../protocol/visible-text'
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
  store: GuardedStore
  appearances: Appearances
  errorPage: RespondWithErrorPage
  timeout: number
  emit: Emit
  /** The clock, in milliseconds since 1970. */
  now(): number
}

// Of one customer or member of staff, as on the consent page: the store remembers each answer for a while. The next is asked about again.
const maxAnswersPerMinute = 30

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
  /** @param of What somebody has typed here that leads to no question. Of what an address says, only the number of a page: `page`. */
  show(visit: Visit<Who>, of: Fields): Promise<void>
  /**
   * What is asked before something changes. Absent if the page changes nothing.
   *
   * @param of What was pressed on the page, or the form of the question.
   * @returns Undefined if there is nothing to ask.
   */
  question?(of: Fields, visit: Visit<Who>): Promise<Question | undefined>
}

/** The fields of a form. One that is not there is empty. */
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
  const perMinute = new PerMinute()
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

  /**
   * Shows what there is, asks before something changes, or does it. An address changes nothing and says nothing: whoever has made a link has
   * chosen what is in it. The same is true of what another site has sent.
   */
  async function respond(visit: Visit<Who>): Promise<void> {
    const { req, res } = visit
    if (req.method !== 'POST') return page.show(visit, numberIn(req.url))
    const form = await readFormOfHost(req, res)
    const asked = form.get('asked')
    const of = fieldsOf(asked === null ? form : new URLSearchParams(asked))
    const decision = of('decision')
    if (!isSameOrigin(req) || !['', 'allow'].includes(decision)) return backToPage(res)
    const question = await page.question?.(of, visit)
    if (!question) return decision === '' ? page.show(visit, of) : backToPage(res)
    const about = subjectOf(question, visit)
    if (decision === '' || !(await isAnswered(of('page_token'), about)))
      return ask(question, rooms.tokens.issue(about), visit)
    await question.confirmed()
    backToPage(res)
  }

  /** Whether a form comes from a question that was shown, for the first time: what was answered before is asked again. */
  async function isAnswered(token: string, about: ConsentSubject): Promise<boolean> {
    const page = rooms.tokens.pageOf(token, about)
    const { tenantId, subject } = about
    if (!page || !perMinute.count({ [JSON.stringify([tenantId, subject])]: maxAnswersPerMinute })) return false
    return rooms.store.useOnce(tenantId, page.id, pageNotedFor)
  }

  /** What a token is good for: this page, whoever is asked, and what they are asked. */
  function subjectOf({ fields }: Question, { who, tenant }: Visit<Who>): ConsentSubject {
    return { tenantId: tenant.id, subject: JSON.stringify(who), query: where, shown: Object.entries(fields).flat() }
  }
}

/** Fields that are there once. One that is there more than once says nothing. */
function fieldsOf(fields: URLSearchParams): Fields {
  return (name) => (fields.getAll(name).length === 1 ? String(fields.get(name)) : '')
}

/** All that an address says: which part of a long list to show. */
function numberIn(url = ''): Fields {
  const number = fieldsOf(new URLSearchParams(url.split(/\?(.*)/s)[1]))('page')
  return (name) => (name === 'page' ? number : '')
}

/** What the buttons of a list belong to. It is hidden, so an address that names it leads nowhere. */
export const askForm = html`<form method="post" action="?" id="ask" hidden></form>`

/** A button of a list that leads to a question. @param of What it is about, for those who hear the page. */
export function askButton(fields: Readonly<Record<string, string>>, label: string, of?: string): Html {
  const name = of !== undefined && html` aria-label="${`${label}: ${visible(of)}`}"`
  return html`<button class="button quiet" form="ask" name="asked" value="${new URLSearchParams(fields).toString()}"${name}>${label}</button>`
}

/** Asks before something changes. Its buttons have the rules of the consent page. */
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
  // A title has no elements: a name that nobody vouches for is between quotation marks.
  const quoted = sentence(words.consent.quote, { name: new Html('$1') })
  const title = new Html(heading.text.replace(/<q>(.*?)<\/q>/g, quoted.text).replace(/<[^>]*>/g, ''))
  respondWithPage(res, 200, { title, body, kind: 'question' }, appearance)
}

/** A reload of what comes then sends no form again. */
function backToPage(res: ServerResponse): void {
  sendResponse(res, 303, { Location: '?', 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', ...nosniff })
}
