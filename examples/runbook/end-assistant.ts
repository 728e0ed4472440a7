import type { CustomerSignIn } from 'customer-sign-in'

/** Ends all grants of an assistant at a company. */
export async function endAssistant(signIn: CustomerSignIn, tenantKey: string): Promise<void> {
  const actor = 'staff:on-call'
  await signIn.grants.revokeAll({ tenantKey, clientId: 'https://assistant.example/client.json', actor })
  let after: string | undefined
  do {
    const page = await signIn.grants.list({ tenantKey, anyCustomer: true, after, limit: 1000 })
    const theirs = page.grants.filter(({ destinations }) => destinations.includes('assistant.example'))
    for (const { subject, grantId } of theirs) await signIn.grants.revoke({ tenantKey, subject, grantId, actor })
    after = page.next
  } while (after !== undefined)
}
