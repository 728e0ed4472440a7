// The `type` of an event determines its other members.
import type { CustomerSignInEvent } from 'customer-sign-in'
import type { DenialReason, FaultReason, GrantEvent, RepeatEvent, RevokedEvent } from 'customer-sign-in/telemetry'

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
      return `${whose(event)} ${event.reason satisfies 'host' | 'client' | 'resource_gone' | 'too_many' | 'replaced'} ${event.actor?.length}`
    case 'allowed':
    case 'declined':
      return `${event.tenantKey} ${event.clientId} ${event.subject} ${event.scopes.join(' ')} ${event.resource}`
    case 'expired':
      return `${event.grantId} ${event.limit satisfies `lifetimes.${string}`} ${new Date(event.expiredAt)}`
    case 'registered':
      return `${event.tenantKey} ${event.tenantId} ${event.clientId}`
    case 'stale':
      return `${event.clientId} ${event.copy satisfies 'kept' | 'known'} ${event.age?.toFixed(0)} ${event.detail.reason}`
    case 'denied':
      return `${whatToDo(event.reason)} ${event.subject?.length} ${event.status} ${event.error}: ${Object.keys(event.detail)}`
    case 'error':
      return `${event.where} ${event.tenantKey?.length} ${event.reason satisfies FaultReason}: ${event.error.message}`
    default:
      return event satisfies never
  }
}

function whatToDo(reason: DenialReason): string {
  if (reason === 'ended_or_lost') return 'look for who ended it'
  // @ts-expect-error There is no such reason.
  return reason === 'ended' ? '' : reason
}

function whose({ at, tenantKey, tenantId, grantId, clientId, subject }: GrantEvent | RevokedEvent): string {
  return [new Date(at).toISOString(), tenantKey, tenantId, grantId, clientId, subject].join(' ')
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
  if (event.type === 'forgotten') return
}
