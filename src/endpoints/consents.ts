import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ConsentTokens, pageNotedFor, type SubmittedPage } from '../authorization/consent-tokens'
import type { Customer } from '../authorization/customer'
import { consentMark, isRemembered } from '../authorization/remembered-consent'
import { PerMinute } from '../collections/per-minute'
import { wrongAnswer } from '../configuration/configuration-error'
import { callHost, type HookAnswer } from '../host/call-host'
import { type Emit, faultEvent } from '../host/emitter'
import type { GuardedStore } from '../host/guarded-store'
import { readFormOfHost } from '../http/body'
import { responseBegins } from '../http/node-messages'
import { isSameOrigin } from '../http/request-address'
import type { Appearances } from '../pages/appearance'
import { respondWithConsentPage } from '../pages/consent-page'
import type { ScopeTexts } from '../pages/scope-words'
import { OAuthError, oauthError, temporarilyUnavailable } from '../protocol/oauth-error'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import { aboutConsent, type ConsentQuestion, partiesOf, publisherOf, shownOf, subjectOf } from './consent-question'
import type { SignInRequest } from './customer-sessions'
import type { Context } from './endpoint'

// Of one customer. A store that remembers 100,000 pages for 20 minutes has room for 166 customers who do nothing else.
const maxPagesPerMinute = 30

/** An authorization request that waits for the customer's consent. */
export interface ConsentRequest extends SignInRequest {
  /** As `authenticate` returned it. */
  customer: Customer
  /** Where the browser will be sent. */
  redirectUri: string
  /** Whether the company vouches for the client's name: the client is in the tenant's record. */
  vouchedFor: boolean
  /** The host that publishes the client's metadata document, if the client has one. Nothing else about such a client is proven. */
  publisher?: string | undefined
  /**
   * Proves that a form comes from this page. Put it into the form, in a hidden field that is named `consent_token`. It is valid for ten
   * minutes and one code, for this customer, this request, and what this object says of the client, the scopes and the resource.
   */
  proof: string
  /**
   * What the customer has submitted on your page. Absent if the proof in it is missing, wrong, too old or used: show the page. The library
   * has read the body of the request.
   */
  form?: URLSearchParams | undefined
}

/**
 * Asks for consent in the host's own way: returns the answer, or nothing if it has answered the request with a page.
 *
 * @returns True if the customer has allowed the request, false if they have refused it.
 *
 * @useDeclaredType
 */
export type ConsentHook = {
  consent(req: IncomingMessage, res: ServerResponse, request: ConsentRequest): HookAnswer<boolean>
}['consent']

/** What customers are asked with. */
interface ConsentRooms {
  consentTokens: ConsentTokens
  store: GuardedStore
  appearances: Appearances
  emit: Emit
  /** The host's own way of asking. With false, customers are not asked about the tenant's own clients. */
  consent: ConsentHook | false | undefined
  scopeTexts: ScopeTexts
  /** The addresses of the documents of known assistants. */
  known: ReadonlySet<string>
  switchAccount: boolean
  /** How long the beginning of the host's own page may take, in milliseconds. */
  timeout: number
}

/** What the customer has decided, unless they refuse. Undefined while the customer is being asked. */
type Decision = 'allowed' | 'another account' | undefined

/** A customer's consent. */
export interface Consent {
  /** The page on which it was given, if it was given on one. */
  page?: SubmittedPage | undefined
  /** Whether that page has given its code before. */
  isRepeated: boolean
  /** What the grant keeps so that the consent is remembered, if it is. */
  consentTo?: string | undefined
}

/** A form that comes from a page of this server. */
interface Submission {
  form: URLSearchParams
  page: SubmittedPage
}

/** Asks customers for their consent. */
export class Consents {
  readonly #rooms: ConsentRooms
  readonly #perMinute = new PerMinute()

  constructor(rooms: ConsentRooms) {
    this.#rooms = rooms
  }

  /**
   * The customer's consent, given now or remembered, or unneeded. Undefined while the customer is being asked, `another account` if the
   * customer is to log in with one.
   *
   * @throws {OAuthError} `access_denied` if the customer refuses, `consent_required` if the request forbids to ask,
   * `temporarily_unavailable` if the store or the host's page fails.
   */
  async given(question: ConsentQuestion, context: Context): Promise<Consent | 'another account' | undefined> {
    if (!this.#isNeeded(question)) return { isRepeated: false }
    const { tenant } = context
    const consentTo = consentMark(question.checked, tenant)
    if (consentTo !== undefined && (await this.#isRemembered(consentTo, question, context))) {
      this.#rooms.emit({ type: 'allowed', remembered: true, ...aboutConsent(question, tenant) })
      return { consentTo, isRepeated: false }
    }
    if (question.signIn.prompt.includes('none'))
      throw oauthError('consent_required', 'The customer must be asked for consent')
    const submission = await this.#submission(question, context)
    const decision = await this.#ask(question, submission, context)
    if (decision !== 'allowed') return decision
    const page = submission?.page
    const isRepeated = page !== undefined && !(await this.#useOnce(page, question, tenant))
    if (!isRepeated) this.#rooms.emit({ type: 'allowed', remembered: false, ...aboutConsent(question, tenant) })
    return { page, consentTo, isRepeated }
  }

  /** Shows the page again to a customer who has submitted one whose code can no longer be redeemed. @throws {OAuthError} As `given` does. */
  async askAgain(question: ConsentQuestion, context: Context): Promise<void> {
    await this.#ask(question, undefined, context)
  }

  /** Notes that a page gives its code. @returns Whether it has given none before. */
  async #useOnce({ id }: SubmittedPage, { customer }: ConsentQuestion, tenant: ResolvedTenant): Promise<boolean> {
    if (!this.#perMinute.count({ [JSON.stringify([tenant.id, customer.subject])]: maxPagesPerMinute })) {
      throw oauthError('temporarily_unavailable', 'The customer has allowed too many requests in this minute', {
        reason: 'temporarily_unavailable',
      })
    }
    return this.#rooms.store.useOnce(tenant.id, id, pageNotedFor)
  }

  /** First-party clients can skip consent. Self-registered and metadata-document clients never can: anyone can create one. */
  #isNeeded({ checked: { found }, signIn }: ConsentQuestion): boolean {
    if (signIn.prompt.includes('consent') || found.source !== 'tenant') return true
    return this.#rooms.consent !== false && found.client.firstParty !== true
  }

  /** Whether an earlier consent covers the request. If the store fails, the customer is asked. */
  async #isRemembered(mark: string, question: ConsentQuestion, { req, tenant }: Context): Promise<boolean> {
    const { checked, customer, signIn } = question
    // What a customer submits is their answer, even if an earlier one covers the request by now.
    if (signIn.prompt.includes('consent') || req.method === 'POST') return false
    try {
      const grants = await this.#rooms.store.grantsOf({ tenantId: tenant.id, subject: customer.subject })
      return isRemembered(mark, checked, grants, tenant)
    } catch (error) {
      if (signIn.prompt.includes('none')) throw error
      this.#rooms.emit(faultEvent('listGrants', error, partiesOf(question, tenant)))
      return false
    }
  }

  /** What the customer has submitted. Undefined if another site made the browser send it, or without a valid token: the page may have expired. */
  async #submission(question: ConsentQuestion, { req, res, tenant }: Context): Promise<Submission | undefined> {
    if (req.method !== 'POST') return undefined
    const form = await readFormOfHost(req, res).catch(ignoreUnreadable)
    const page =
      form &&
      isSameOrigin(req) &&
      this.#rooms.consentTokens.pageOf(form.get('consent_token') ?? '', subjectOf(question, tenant))
    return page ? { form, page } : undefined
  }

  async #ask(question: ConsentQuestion, submission: Submission | undefined, context: Context): Promise<Decision> {
    const { consent } = this.#rooms
    return typeof consent === 'function'
      ? this.#askHost(consent, question, submission, context)
      : this.#askOnPage(question, submission, context)
  }

  #askOnPage(question: ConsentQuestion, submission: Submission | undefined, { req, res, tenant }: Context): Decision {
    const button = submission && pressedButton(submission.form)
    if (button === 'allow') return 'allowed'
    if (button === 'switch' && this.#rooms.switchAccount) return 'another account'
    if (button !== undefined && button !== 'confirm') throw this.#declined(question, tenant)
    const { found, permitted } = question.checked
    const appearance = this.#rooms.appearances.of(req, tenant.look)
    const shown = shownOf(question, tenant)
    const page = {
      ...shown,
      isKnown: this.#rooms.known.has(found.client.clientId) && shown.isProven,
      answered: button === 'confirm',
      scopes: permitted.map((scope) => this.#rooms.scopeTexts.in(appearance.language, scope)),
      switchAccount: this.#rooms.switchAccount,
      token: this.#rooms.consentTokens.issue(subjectOf(question, tenant)),
    }
    respondWithConsentPage(res, page, appearance)
    return undefined
  }

  async #askHost(
    ask: ConsentHook,
    question: ConsentQuestion,
    submission: Submission | undefined,
    { req, res, tenant }: Context,
  ): Promise<Decision> {
    const { customer, checked, signIn } = question
    const request: ConsentRequest = {
      ...signIn,
      customer,
      redirectUri: checked.redirectUri,
      vouchedFor: checked.found.source === 'tenant',
      publisher: publisherOf(checked),
      proof: this.#rooms.consentTokens.issue(subjectOf(question, tenant)),
      form: submission?.form,
    }
    const allowed = await callHost('pages.consent', 'unlimited', () => ask(req, res, request))
    if (allowed === true) {
      if (req.method !== 'POST' || submission) return 'allowed'
      const cause = new Error('pages.consent returned true for a form whose consent_token is not the proof of a page')
      throw temporarilyUnavailable(cause, 'hook_failed')
    }
    if (allowed === false) throw this.#declined(question, tenant)
    if (allowed !== undefined) {
      throw temporarilyUnavailable(wrongAnswer('pages.consent', allowed, 'true, false or nothing'), 'hook_failed')
    }
    if (await responseBegins(res, this.#rooms.timeout)) return undefined
    const cause = new Error('pages.consent returned neither true nor false and did not answer the request')
    throw temporarilyUnavailable(cause, 'hook_failed')
  }

  #declined(question: ConsentQuestion, tenant: ResolvedTenant): OAuthError {
    this.#rooms.emit({ type: 'declined', ...aboutConsent(question, tenant) })
    return oauthError('access_denied', 'The customer has refused', { reason: 'declined' })
  }
}

/** The button of the library's page that was pressed. Undefined if the form names several, as no browser does. */
function pressedButton(form: URLSearchParams): string | undefined {
  const pressed = form.getAll('decision')
  return pressed.length > 1 ? undefined : (pressed[0] ?? '')
}

/** Ignores a form that cannot be read: it does not come from a page of this library, so the page is shown again. */
function ignoreUnreadable(error: unknown): undefined {
  if (error instanceof OAuthError && error.status < 500) return undefined
  throw error
}
