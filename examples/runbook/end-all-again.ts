import type { CustomerSignIn, CustomerSignInEvent } from 'customer-sign-in'

/** Ends again what has ended since a backup was made. @returns How many grants these were. */
export async function endAllAgain(signIn: CustomerSignIn, eventsSinceBackup: CustomerSignInEvent[]): Promise<number> {
  let ended = 0
  for (const event of eventsSinceBackup) {
    const hadEnded = event.type === 'revoked' || (event.type === 'replayed' && event.ended)
    if (!hadEnded) continue
    const { tenantId, subject, grantId } = event
    if (await signIn.grants.revoke({ tenantId, subject, grantId, actor: 'job:restore' })) ended += 1
  }
  return ended
}
