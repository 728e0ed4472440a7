import type { IncomingMessage, ServerResponse } from 'node:http'
import type { CheckedRequest } from '../authorization/authorizations'
import type { ConsentSubject, ConsentTokens } from '../authorization/consent-tokens'
import type { Customer } from '../authorization/customer'
import { wrongAnswer } from '../configuration/configuration-error'
import type { Emit } from '../events/emitter'
import { readForm } from '../http/form'
import { responseBegins } from '../http/response-begins'
import type { Appearances } from '../pages/appearance'
import { respondWithConsentPage } from '../pages/consent-page'
import type { ScopeTexts } from '../pages/scope-words'
import { isLoopbackUrl } from '../protocol/loopback'
import { OAuthError, oauthError, temporarilyUnavailable } from '../protocol/oauth-error'
import { callHost, type HookAnswer } from '../stores/call-host'
import type { Context } from './context'
import type { SignInRequest } from './customer-sessions'

/** An authorization request that waits for the customer's consent. */
export interface ConsentRequest extends SignInRequest {
  /** As `authenticate` returned it. */
  customer: Customer
  /** Where the browser will be sent. */
  redirectUri: string
}

/**
 * Asks for consent in the host's own way: returns the answer, or nothing if it has answered the request with a page.
 *
 * @returns True if the customer has allowed the request, false if they have refused it.
 *
 * @useDeclaredType
 */
export type ConsentHook = {
  of(req: IncomingMessage, res: ServerResponse, request: ConsentRequest): HookAnswer<boolean>
}['of']

/** A checked request, and the signed-in customer who may have to be asked about it. */
export interface ConsentQuestion {
  customer: Customer
  checked: CheckedRequest
  /** What the host's hooks are told. */
  signIn: SignInRequest
  /** The query of the request, as in the address of the consent page. */
  query: string
}

/** How customers are asked. */
export interface ConsentRules {
  /** The host's own way of asking. With false, customers are not asked about the tenant's own clients. */
  consent: ConsentHook | false | undefined
  /** What each scope is called on the page. */
  scopeTexts: ScopeTexts
  /** How long the beginning of the host's own page may take, in milliseconds. */
  timeout: number
}

/** What the customer has decided. Undefined while the customer is being asked. */
type Decision = 'allowed' | 'declined' | undefined

/** Asks customers for their consent. */
export class Consents {
  readonly #tokens: ConsentTokens
  readonly #appearances: Appearances
  readonly #rules: ConsentRules
  readonly #emit: Emit

  constructor(tokens: ConsentTokens, appearances: Appearances, rules: ConsentRules, emit: Emit) {
    this.#tokens = tokens
    this.#appearances = appearances
    this.#rules = rules
    this.#emit = emit
  }

  /**
   * Whether the customer has consented, if that is needed. False while the customer is being asked.
   *
   * @throws {OAuthError} `access_denied` if the customer refuses, `consent_required` if the request forbids to ask.
   */
  async given(question: ConsentQuestion, context: Context): Promise<boolean> {
    if (!this.#isNeeded(question)) return true
    if (question.signIn.prompt.includes('none'))
      throw oauthError('consent_required', 'The customer must be asked for consent')
    const { consent } = this.#rules
    const decision =
      typeof consent === 'function'
        ? await this.#askHost(consent, question, context)
        : await this.#askOnPage(question, context)
    if (decision === undefined) return false
    const { tenant } = context
    const { found, scopes, resource } = question.checked
    this.#emit({
      type: decision,
      scopes,
      resource,
      tenantKey: tenant.key,
      tenantId: tenant.id,
      clientId: found.client.clientId,
      subject: question.customer.subject,
    })
    if (decision === 'allowed') return true
    throw oauthError('access_denied', 'The customer has refused', { reason: 'declined' })
  }

  /** First-party clients can skip consent. Self-registered and metadata-document clients never can: anyone can create one. */
  #isNeeded({ checked: { found }, signIn }: ConsentQuestion): boolean {
    if (signIn.prompt.includes('consent') || found.source !== 'tenant') return true
    return this.#rules.consent !== false && found.client.firstParty !== true
  }

  async #askOnPage({ customer, checked, query }: ConsentQuestion, context: Context): Promise<Decision> {
    const { tenant } = context
    const { redirectUri, permitted, resource } = checked
    const { client, source } = checked.found
    const publisher = source === 'document' ? new URL(client.clientId).host : undefined
    const clientName = client.clientName ?? publisher ?? client.clientId
    // MCP: such a client has no address that nobody else can have, so that a page must warn of it.
    const isAppOnDevice = client.redirectUris.every(isLoopbackUrl)
    const about = {
      tenantId: tenant.id,
      subject: customer.subject,
      query,
      shown: [clientName, permitted.join(' '), resource, ...(isAppOnDevice ? ['app on device'] : [])],
    }
    const button = await this.#pressedButton(about, context)
    if (button === 'allow') return 'allowed'
    if (button !== undefined && button !== 'confirm') return 'declined'
    const appearance = this.#appearances.of(context.req, tenant)
    const page = {
      tenantName: tenant.name ?? tenant.key,
      clientName,
      vouchedFor: source === 'tenant',
      publisher,
      redirectUri,
      isAppOnDevice,
      answered: button === 'confirm',
      scopes: permitted.map((scope) => this.#rules.scopeTexts.in(appearance.language, scope)),
      customerName: customer.name,
      action: `?${query}`,
      token: this.#tokens.issue(about),
    }
    respondWithConsentPage(context.res, page, appearance)
    return undefined
  }

  /**
   * The button of the page that was pressed. Undefined if there is no valid consent token: the page has expired, or another site made the
   * browser send a form.
   */
  async #pressedButton(about: ConsentSubject, { req, res }: Context): Promise<string | undefined> {
    if (req.method !== 'POST') return undefined
    const form = await readForm(req, res).catch(ignoreUnreadable)
    if (!form) return undefined
    return this.#tokens.verifies(form.get('consent_token') ?? '', about) ? (form.get('decision') ?? '') : undefined
  }

  async #askHost(
    ask: ConsentHook,
    { customer, checked, signIn }: ConsentQuestion,
    { req, res }: Context,
  ): Promise<Decision> {
    const { redirectUri } = checked
    const allowed = await callHost('consent', () => ask(req, res, { ...signIn, customer, redirectUri }))
    if (allowed === true) return 'allowed'
    if (allowed === false) return 'declined'
    if (allowed !== undefined) {
      throw temporarilyUnavailable(wrongAnswer('consent', allowed, 'true, false or nothing'), 'hook_failed')
    }
    if (await responseBegins(res, this.#rules.timeout)) return undefined
    const cause = new Error('consent returned neither true nor false and did not answer the request')
    throw temporarilyUnavailable(cause, 'hook_failed')
  }
}

/** Ignores a form that cannot be read: it does not come from a page of this library, so the page is shown again. */
function ignoreUnreadable(error: unknown): undefined {
  if (error instanceof OAuthError && error.status < 500) return undefined
  throw error
}
