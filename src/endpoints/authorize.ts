import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authorizations, CheckedRequest, Recipient } from '../authorization/authorizations'
import { type Emit, reportError } from '../host/emitter'
import { Form, parametersOf } from '../http/body'
import { keepsOpener, nosniff, removeCors, sendResponse } from '../http/responses'
import type { Appearances } from '../pages/appearance'
import { type ErrorContext, oauthError, withContext } from '../protocol/oauth-error'
import { withResponse } from '../protocol/redirect-uri'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import { type ConsentQuestion, pageParameter } from './consent-question'
import type { Consents } from './consents'
import type { FindCustomer, SignInRequest } from './customer-sessions'
import type { Context, Endpoint } from './endpoint'

/** What the endpoint works with. */
interface AuthorizeRooms {
  appearances: Appearances
  authorizations: Authorizations
  findCustomer: FindCustomer
  consents: Consents
  emit: Emit
}

/**
 * `GET I/authorize`, and `POST` for the form of the consent page: lets the host sign the customer in, asks for consent, and sends the
 * browser back to the client with a code (RFC 6749 section 4.1.1).
 *
 * An error goes to the client (RFC 6749 section 4.1.2.1) as soon as the redirect URI is known to be the client's. Before that, it is a page.
 * For a client that is not the tenant's own, it is a page until the customer has signed in: anybody can register an address, and a link
 * to this server must not lead there by itself (RFC 9700 section 4.11.2).
 */
export function authorize(rooms: AuthorizeRooms): Endpoint {
  const { appearances, authorizations, findCustomer, consents, emit } = rooms
  return async (context) => {
    const { req, res, tenant, message } = context
    removeCors(res)
    // Set here, so that the host's own responses have them too, such as the redirect to its login page.
    for (const [name, value] of Object.entries(keepsOpener)) res.setHeader(name, value)
    const parameters = parametersOf(queryOf(req))
    const clientId = single(parameters.client_id, 'client_id')
    message.clientId = clientId
    const redirectUri = single(parameters.redirect_uri, 'redirect_uri')
    const recipient = await authorizations.recipient(clientId, redirectUri, tenant)
    const [state] = [parameters.state].flat()
    const known: ErrorContext = { tenantKey: tenant.key, tenantId: tenant.id, clientId }
    let mayRedirect = recipient.found.source === 'tenant'
    try {
      const form = new Form(parameters, ['resource'])
      checkResponse(form)
      const checked = authorizations.check(receivedRequest(form), recipient, tenant)
      const query = withoutLoginPrompt(withoutPage(queryOf(req)))
      const { language } = appearances.of(req, tenant.look)
      const signIn = signInRequest(form, checked, query, language.tag, tenant)
      // It only asks whether there is a page: nobody signs in by it, and nothing is allowed.
      if (req.method === 'HEAD') return sendResponse(res, 200, { 'Cache-Control': 'no-store', ...nosniff })
      const customer = await findCustomer(signIn, context)
      if (!customer) return
      mayRedirect = true
      known.subject = customer.subject
      const question = { customer, checked, signIn, query }
      const consent = await consents.given(question, context)
      if (!consent) return
      if (consent === 'another account') return await switchAccount(question, context, rooms)
      const { subject, claims } = customer
      const { isRepeated, ...given } = consent
      const agreed = { ...checked, ...given, subject, claims, state }
      const response = isRepeated
        ? await authorizations.agreedBefore(agreed, tenant)
        : await authorizations.agree(agreed, tenant)
      if (response) redirect(res, response.redirectTo)
      else await consents.askAgain(question, context)
    } catch (thrown) {
      if (!mayRedirect) throw withContext(thrown, known)
      const { code: error, description } = reportError(thrown, { where: 'authorize', ...known }, emit, message)
      const refusal = { error, error_description: description, state, iss: tenant.address.issuer }
      redirect(res, withResponse(redirectUri, refusal))
    }
  }
}

/**
 * Lets the customer log in with another account. Whoever comes back is asked, whatever was allowed before: the address says so. If the host goes
 * on with an account at once, the page is about that one.
 */
async function switchAccount(
  { checked, signIn, ...question }: ConsentQuestion,
  context: Context,
  { findCustomer, consents }: AuthorizeRooms,
): Promise<void> {
  const query = withConsentPrompt(question.query)
  const url = `${context.tenant.address.endpoints}/authorize?${query}`
  const asked: SignInRequest = { ...signIn, url, prompt: ['login', 'consent'], switchAccount: true }
  const customer = await findCustomer(asked, context)
  if (customer) await consents.askAgain({ customer, checked, signIn: { ...signIn, url }, query }, context)
}

function checkResponse(form: Form): void {
  if (form.required('response_type') !== 'code') {
    throw oauthError('unsupported_response_type', 'response_type must be code')
  }
  if ((form.get('response_mode') ?? 'query') !== 'query') {
    throw oauthError('invalid_request', 'response_mode must be query')
  }
}

function receivedRequest(form: Form) {
  return {
    codeChallenge: form.get('code_challenge'),
    codeChallengeMethod: form.get('code_challenge_method'),
    dpopJkt: form.get('dpop_jkt'),
    scopes: form.get('scope'),
    resources: form.all('resource'),
  }
}

/** What the host's hooks are told. */
function signInRequest(
  form: Form,
  { found, permitted, resource }: CheckedRequest,
  query: string,
  language: string,
  tenant: ResolvedTenant,
): SignInRequest {
  return {
    url: `${tenant.address.endpoints}/authorize?${query}`,
    tenant: tenant.record,
    client: found.client,
    scopes: [...permitted],
    resource,
    prompt: promptOf(form, found),
    loginHint: form.get('login_hint'),
    language,
  }
}

/** OpenID Connect Core section 3.1.2.1, as far as it makes sense without OpenID Connect. */
function promptOf(form: Form, { source }: Recipient['found']): string[] {
  const prompt = (form.get('prompt') ?? '').split(' ').filter(Boolean)
  if (prompt.includes('none') && prompt.length > 1) {
    throw oauthError('invalid_request', 'prompt must not combine none with another value')
  }
  // It could never succeed. The host is not asked first, so that the answer does not tell the client who is signed in.
  if (prompt.includes('none') && source !== 'tenant') {
    const description = 'prompt must not be none: this client always needs the consent of the customer'
    throw oauthError('interaction_required', description)
  }
  return prompt
}

/** Removes what makes the address of a second page one that no link can name. */
function withoutPage(query: string): string {
  return query
    .split('&')
    .filter((pair) => !Object.hasOwn(parametersOf(pair), pageParameter))
    .join('&')
}

/** Removes `login` from `prompt`: the request comes again after the login, and must not ask for another one. */
function withoutLoginPrompt(query: string): string {
  const pairs = query.split('&').map((pair) => {
    const { prompt } = parametersOf(pair)
    if (typeof prompt !== 'string') return pair
    const others = prompt.split(' ').filter((word) => word !== 'login')
    return `prompt=${others.map(encodeURIComponent).join('+')}`
  })
  return pairs.join('&')
}

/** Makes `consent` the `prompt`. */
function withConsentPrompt(query: string): string {
  const others = query.split('&').filter((pair) => !Object.hasOwn(parametersOf(pair), 'prompt'))
  return [...others, 'prompt=consent'].join('&')
}

function queryOf({ url = '' }: IncomingMessage): string {
  return url.split(/\?(.*)/s)[1] ?? ''
}

function single(value: string | string[] | undefined, name: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw oauthError('invalid_request', `${name} must be sent exactly once`)
}

/** 303: the browser must not send a form on (RFC 9700 section 4.12). */
function redirect(res: ServerResponse, location: string): void {
  if (res.writableEnded) return
  // The host has begun a page of its own, which cannot become a redirect.
  if (res.headersSent) {
    res.destroy()
    return
  }
  const headers = { Location: location, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer', ...nosniff }
  sendResponse(res, 303, headers)
}
