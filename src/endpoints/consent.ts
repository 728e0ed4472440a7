import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AgreedTerms } from '../authorization/authorization-request'
import type { ConsentSubject } from '../authorization/consent-tokens'
import type { FoundClient } from '../clients/clients'
import { wrongAnswer } from '../configuration/configuration-error'
import { readForm } from '../http/form'
import { responseBegins } from '../http/response-begins'
import type { ConsentHook, Customer, SignInRequest } from '../options'
import { respondWithConsentPage } from '../pages/consent-page'
import { OAuthError, temporarilyUnavailable } from '../protocol/oauth-error'
import type { Service } from '../service'
import { callHost } from '../stores/call-host'
import type { EndpointContext } from './endpoint'

/** An authorization request that has been checked, before anyone has agreed to it. */
export interface ConsideredRequest {
  found: FoundClient
  redirectUri: string
  terms: AgreedTerms
  /** The query of the request, as every page of it has it. */
  query: string
  /** What the host's hooks are told. */
  signIn: SignInRequest
}

/**
 * Whether the customer has consented, where that is needed; false where the customer is being asked.
 *
 * @throws {OAuthError} `access_denied` where they refuse, `consent_required` where they must not be asked.
 */
export async function hasConsent(
  customer: Customer,
  request: ConsideredRequest,
  context: EndpointContext,
): Promise<boolean> {
  const { consent } = context.service.options
  if (!needsConsent(request, consent !== false)) return true
  if (request.signIn.prompt.includes('none')) throw new OAuthError('consent_required', 'The customer must be asked')
  const decision =
    typeof consent === 'function'
      ? await consentOfHost(consent, customer, request, context)
      : await consentOnPage(customer, request, context)
  if (decision === undefined) return false
  const { tenant, service } = context
  service.emit({
    type: decision,
    scopes: request.terms.scopes,
    resource: request.terms.resource,
    tenantKey: tenant.key,
    tenantId: tenant.id,
    clientId: request.found.client.clientId,
    subject: customer.subject,
  })
  if (decision === 'declined') throw refused()
  return true
}

/** What the customer has decided; undefined where they are being asked. */
type Decision = 'allowed' | 'declined' | undefined

/** The tenant's own clients go without; those that anyone can claim to be do not. */
function needsConsent({ found, signIn }: ConsideredRequest, asked: boolean): boolean {
  return signIn.prompt.includes('consent') || !found.preRegistered || (asked && found.preRegistered.firstParty !== true)
}

async function consentOnPage(
  customer: Customer,
  { found, redirectUri, terms, query }: ConsideredRequest,
  { req, res, tenant, service }: EndpointContext,
): Promise<Decision> {
  const { client, preRegistered, registered } = found
  const publisher = preRegistered || registered ? undefined : new URL(client.clientId).host
  const clientName = client.clientName ?? publisher ?? client.clientId
  const { scopes, resource } = terms
  const about = {
    tenantId: tenant.id,
    subject: customer.subject,
    query,
    shown: [clientName, scopes.join(' '), resource],
  }
  const button = await pressedButton(about, req, res, service)
  if (button === 'allow') return 'allowed'
  if (button !== undefined && button !== 'confirm') return 'declined'
  respondWithConsentPage(res, {
    tenantName: tenant.name ?? tenant.key,
    logoUri: tenant.logoUri,
    clientName,
    vouchedFor: preRegistered !== undefined,
    publisher,
    redirectUri,
    answered: button === 'confirm',
    scopes: scopes.map((scope) => inWords(scope, service)),
    customerName: customer.name,
    action: `?${query}`,
    token: service.consentTokens.issue(about),
  })
  return undefined
}

/**
 * The button of the page that was pressed; undefined where the page has expired, or where another site made the browser send a form, of
 * whatever kind.
 */
async function pressedButton(
  about: ConsentSubject,
  req: IncomingMessage,
  res: ServerResponse,
  { consentTokens }: Service,
): Promise<string | undefined> {
  if (req.method !== 'POST') return undefined
  const form = await readForm(req, res).catch(unreadable)
  if (!form) return undefined
  return consentTokens.verifies(form.get('consent_token') ?? '', about) ? (form.get('decision') ?? '') : undefined
}

/** A form that this library has not made is no answer, and no error that a client is told of. */
function unreadable(error: unknown): undefined {
  if (error instanceof OAuthError && error.status < 500) return undefined
  throw error
}

function inWords(scope: string, { options: { scopes } }: Service): string {
  return (Object.hasOwn(scopes, scope) ? scopes[scope] : undefined) ?? scope
}

async function consentOfHost(
  ask: ConsentHook,
  customer: Customer,
  { signIn, redirectUri }: ConsideredRequest,
  { req, res, service }: EndpointContext,
): Promise<Decision> {
  const allowed = await callHost('consent', () => ask(req, res, { ...signIn, customer, redirectUri }))
  if (allowed === true) return 'allowed'
  if (allowed === false) return 'declined'
  if (allowed !== undefined) {
    throw temporarilyUnavailable(wrongAnswer('consent', allowed, 'true, false or nothing'), 'hook_failed')
  }
  if (await responseBegins(res, service.options.hostTimeout * 1000)) return undefined
  throw temporarilyUnavailable(
    new Error('consent gave neither true nor false and did not answer the request'),
    'hook_failed',
  )
}

function refused(): OAuthError {
  return new OAuthError('access_denied', 'The customer has refused', { reason: 'declined' })
}
