// An event's type tells what else it says.
import type { CustomerSignInEvent, GrantEvent, RepeatEvent } from 'customer-sign-in'

export function described(event: CustomerSignInEvent): string {
  switch (event.type) {
    case 'issued':
      return `${whose(event)} ${event.scopes.join()} ${event.resource}`
    case 'retried':
      return `${whose(event)} ${event.scopes.join()} ${event.resource} ${repeated(event)}`
    case 'refreshed':
      return `${whose(event)} ${event.recovered ? 'recovered' : ''}`
    case 'replayed':
      return `${whose(event)} ${event.credential satisfies 'code' | 'refresh_token'} ${event.ended} ${repeated(event)}`
    case 'revoked':
      return `${whose(event)} ${event.reason satisfies 'host' | 'client' | 'client_gone' | 'resource_gone' | 'too_many'}`
    case 'registered':
      return `${event.tenantKey} ${event.tenantId} ${event.clientId}`
    case 'denied':
      return `${event.where} ${event.status} ${event.error}: ${event.description} ${Object.keys(event.detail)}`
    case 'error':
      return `${event.where} ${event.tenantKey?.length}: ${event.error.message}`
    default:
      return event satisfies never
  }
}

function whose({ tenantKey, tenantId, grantId, clientId, subject }: GrantEvent): string {
  return [tenantKey, tenantId, grantId, clientId, subject].join(' ')
}

function repeated({ age, successorUsed }: RepeatEvent): string {
  return `${age?.toFixed(1)} ${successorUsed}`
}

export function refused(event: CustomerSignInEvent): void {
  // @ts-expect-error Not every event is about a grant.
  event.grantId

  // @ts-expect-error No event carries a token.
  if (event.type === 'issued') event.token

  // @ts-expect-error There is no such event.
  if (event.type === 'expired') return
}
