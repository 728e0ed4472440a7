import type { IncomingMessage, ServerResponse } from 'node:http'
import { checkedTerms } from '../authorization/authorization-request'
import { customerRecord } from '../authorization/customer'
import { type FoundClient, findClient } from '../clients/clients'
import { renewClient } from '../clients/keep-client-alive'
import { isObject } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import { type Place, reported } from '../events/report'
import { createGrant } from '../grants/grants'
import { keepsOpener, nosniff } from '../http/browser-headers'
import { Form, parametersOf } from '../http/form'
import { responseBegins } from '../http/response-begins'
import type { Customer } from '../options'
import { OAuthError, temporarilyUnavailable, withContext } from '../protocol/oauth-error'
import { redirectUriMatches, withResponse } from '../protocol/redirect-uri'
import { callHost } from '../stores/call-host'
import { type ConsideredRequest, hasConsent } from './consent'
import type { EndpointContext } from './endpoint'

/**
 * `GET I/authorize`, and `POST` for the answer of the consent page: lets the host sign the customer in, asks for consent, and sends the
 * browser back to the client with a code (RFC 6749 section 4.1.1).
 *
 * Until the redirect URI is known to be the client's, an error is a page. The same holds for a client that nobody vouches for until the
 * customer is known: anybody can register an address, and a link to this server must not lead there (RFC 9700 section 4.11.2). From
 * then on an error goes to the client (RFC 6749 section 4.1.2.1).
 */
export async function authorize(context: EndpointContext): Promise<void> {
  const { req, res, tenant, service } = context
  // Also on what the host answers, such as the redirect to its login page.
  for (const [name, value] of Object.entries(keepsOpener)) res.setHeader(name, value)
  const parameters = parametersOf(queryOf(req))
  const found = await findClient(single(parameters, 'client_id'), tenant, service)
  const redirectUri = trustedRedirectUri(parameters, found)
  const state = parameters.state === undefined ? undefined : [parameters.state].flat()[0]
  const respond = (response: Record<string, string | undefined>) =>
    redirect(res, withResponse(redirectUri, { ...response, state, iss: tenant.issuer }))
  const place: Place = {
    where: 'authorize',
    tenantKey: tenant.key,
    tenantId: tenant.id,
    clientId: found.client.clientId,
  }
  let mayRedirect = found.preRegistered !== undefined
  try {
    const request = consideredRequest(new Form(parameters, ['resource']), found, redirectUri, context)
    const customer = await signedInCustomer(request, context)
    if (!customer) return
    mayRedirect = true
    place.subject = customer.subject
    await keepWhileAsking(request, context)
    if (!(await hasConsent(customer, request, context))) return
    const { subject, claims } = customer
    respond({ code: await createGrant({ ...request.terms, redirectUri, subject, claims }, found, tenant, service) })
  } catch (error) {
    const { where: _, ...known } = place
    if (!mayRedirect) throw withContext(error, known)
    const { code, description } = reported(error, place, service)
    respond({ error: code, error_description: description })
  }
}

function trustedRedirectUri(parameters: Parameters, { client }: FoundClient): string {
  const redirectUri = single(parameters, 'redirect_uri')
  if (client.redirectUris.some((registered) => redirectUriMatches(registered, redirectUri))) return redirectUri
  throw new OAuthError('invalid_request', 'redirect_uri is not registered for this client', {
    reason: 'wrong_redirect_uri',
    detail: { clientId: client.clientId, redirectUri },
  })
}

function consideredRequest(
  form: Form,
  found: FoundClient,
  redirectUri: string,
  { req, tenant }: EndpointContext,
): ConsideredRequest {
  if (form.required('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code')
  }
  if ((form.get('response_mode') ?? 'query') !== 'query') {
    throw new OAuthError('invalid_request', 'response_mode must be query')
  }
  const terms = checkedTerms(
    {
      codeChallenge: form.get('code_challenge'),
      codeChallengeMethod: form.get('code_challenge_method'),
      scopes: form.get('scope'),
      resources: form.all('resource'),
    },
    found.client,
    tenant,
  )
  const prompt = promptOf(form, found)
  const query = withoutLoginPrompt(queryOf(req))
  return {
    found,
    redirectUri,
    terms,
    query,
    signIn: {
      url: `${tenant.issuer}/authorize?${query}`,
      tenant: tenant.record,
      client: found.client,
      scopes: terms.scopes,
      resource: terms.resource,
      prompt,
      loginHint: form.get('login_hint'),
    },
  }
}

/** OpenID Connect Core section 3.1.2.1, as far as it makes sense without OpenID Connect. */
function promptOf(form: Form, { preRegistered }: FoundClient): string[] {
  const prompt = (form.get('prompt') ?? '').split(' ').filter(Boolean)
  if (prompt.includes('none') && prompt.length > 1) {
    throw new OAuthError('invalid_request', 'prompt must be none alone, or not at all')
  }
  // It could never succeed. Refused before the host is asked, so that nobody learns who is signed in here.
  if (prompt.includes('none') && !preRegistered) {
    throw new OAuthError(
      'interaction_required',
      'prompt must not be none: customers are always asked about this client',
    )
  }
  return prompt
}

/** Once the customer has logged in, the request comes again and must not ask for another login. */
function withoutLoginPrompt(query: string): string {
  const pairs = query.split('&').map((pair) => {
    const { prompt } = parametersOf(pair)
    if (typeof prompt !== 'string') return pair
    return `prompt=${prompt
      .split(' ')
      .filter((word) => word !== 'login')
      .map(encodeURIComponent)
      .join('+')}`
  })
  return pairs.join('&')
}

/** A registration that a customer is being asked about is the last to make room for others. */
async function keepWhileAsking(
  { found: { registered } }: ConsideredRequest,
  { tenant, service }: EndpointContext,
): Promise<void> {
  if (registered) await renewClient(registered, tenant, service)
}

/** The host's customer; undefined where the host has answered the request itself, with its login page. */
async function signedInCustomer(
  { signIn }: ConsideredRequest,
  context: EndpointContext,
): Promise<Customer | undefined> {
  const { req, res, service } = context
  const customer = await callHost('authenticate', () => service.options.authenticate?.(req, res, signIn))
  if (customer !== undefined && customer !== null) return checkedCustomer(customer)
  if (!res.headersSent && signIn.prompt.includes('none')) {
    throw new OAuthError('login_required', 'The customer is not signed in')
  }
  if (await responseBegins(res, service.options.hostTimeout * 1000)) return undefined
  throw temporarilyUnavailable(new Error('authenticate gave no customer and did not answer the request'), 'hook_failed')
}

/** What is wrong with it is the host's fault, so the client is asked to come again. */
function checkedCustomer(given: Customer): Customer {
  try {
    if (!isObject(given)) throw wrongAnswer('authenticate', given, 'a customer, null or nothing')
    return customerRecord(given, 'customer')
  } catch (error) {
    throw temporarilyUnavailable(error, 'hook_failed')
  }
}

type Parameters = Record<string, string | string[] | undefined>

function queryOf({ url = '' }: IncomingMessage): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

function single(parameters: Parameters, name: string): string {
  const value = parameters[name]
  if (typeof value === 'string' && value !== '') return value
  throw new OAuthError('invalid_request', `${name} must be sent, and once`)
}

/** 303: the browser must not send a form on (RFC 9700 section 4.12). */
function redirect(res: ServerResponse, location: string): void {
  if (res.writableEnded) return
  // Half a page of the host's cannot become a redirect.
  if (res.headersSent) {
    res.destroy()
    return
  }
  res
    .writeHead(303, {
      Location: location,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
      ...nosniff,
    })
    .end()
}
