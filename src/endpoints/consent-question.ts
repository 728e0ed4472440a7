import { randomBytes } from 'node:crypto'
import type { CheckedRequest } from '../authorization/authorizations'
import type { ConsentSubject } from '../authorization/consent-tokens'
import type { Customer } from '../authorization/customer'
import { isNamedByTenant } from '../authorization/remembered-consent'
import { mayUse } from '../protocol/grant-types'
import { hasProvenReceiver } from '../protocol/redirect-uri'
import { shownId } from '../protocol/registered-id'
import type { ResolvedTenant } from '../tenants/resolved-tenant'
import type { SignInRequest } from './customer-sessions'

/** A checked request, and the signed-in customer who may have to be asked about it. */
export interface ConsentQuestion {
  customer: Customer
  checked: CheckedRequest
  /** What the host's hooks are told. */
  signIn: SignInRequest
  /** The query of the request, as in the address of the consent page. */
  query: string
}

/** What the address of a page has besides the request: whoever opened the page would scroll it by a fragment of its address. */
export const pageParameter = 'consent_page'

/** Who asks whom, for events. */
export function partiesOf({ checked, customer }: ConsentQuestion, { key, id }: ResolvedTenant) {
  return { tenantKey: key, tenantId: id, clientId: checked.found.client.clientId, subject: customer.subject }
}

/** What an event says about a customer's decision. */
export function aboutConsent(question: ConsentQuestion, tenant: ResolvedTenant) {
  const { scopes, resource } = question.checked
  return { scopes, resource, ...partiesOf(question, tenant) }
}

/** What a page asks about, to which its token is bound. */
export function subjectOf({ customer, checked, query }: ConsentQuestion, { id }: ResolvedTenant): ConsentSubject {
  const { permitted, resource, found } = checked
  const { clientUri, redirectUris } = found.client
  const shown = [nameOf(checked), permitted.join(' '), resource, found.source, String(clientUri), ...redirectUris]
  return { tenantId: id, subject: customer.subject, query, shown }
}

/** What a page says of the request, of its client and of the company. */
export function shownOf({ customer, checked, query }: ConsentQuestion, tenant: ResolvedTenant) {
  const { found, redirectUri } = checked
  const { client, source } = found
  const vouchedFor = source === 'tenant'
  const isProven = hasProvenReceiver(redirectUri)
  const { accessToken, refreshToken, grant = Number.POSITIVE_INFINITY } = tenant.policy.lifetimes
  const refreshes = mayUse('refresh_token', vouchedFor ? client : undefined)
  const time = Math.min(refreshes ? refreshToken : accessToken, grant)
  return {
    tenantName: tenant.look.name ?? tenant.key,
    clientName: nameOf(checked),
    vouchedFor,
    publisher: publisherOf(checked),
    redirectUri,
    isProven,
    // Not about a client that the company has named, if what it gets reaches nobody else.
    asksTwice: !vouchedFor && !(isNamedByTenant(found, tenant) && isProven),
    lasts: { time, isRenewed: refreshes && time < grant },
    customerName: customer.name,
    action: `?${query}&${pageParameter}=${randomBytes(12).toString('base64url')}`,
  }
}

function nameOf(checked: CheckedRequest): string {
  const { client } = checked.found
  return client.clientName ?? publisherOf(checked) ?? shownId(client.clientId)
}

/** The host that publishes the client's metadata document, if it has one. */
export function publisherOf({ found: { client, source } }: CheckedRequest): string | undefined {
  return source === 'document' ? new URL(client.clientId).host : undefined
}
