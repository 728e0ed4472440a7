import type { Grant, TokenStore } from 'customer-sign-in'

/** The grants of a customer as the store has them now, to be compared or restored later. */
export async function recordsOf(store: TokenStore, tenantId = 'acme', subject = 'customer-1'): Promise<Grant[]> {
  return structuredClone(await store.listGrants(tenantId, subject))
}

/** The only grant of a customer, as the store has it now. */
export async function recordOf(store: TokenStore, tenantId = 'acme', subject = 'customer-1'): Promise<Grant> {
  const [record, ...others] = await recordsOf(store, tenantId, subject)
  if (!record || others.length > 0) throw new Error(`${subject} has not one grant but ${others.length + 1}`)
  return record
}

/** Puts an older copy of a grant in its place, as a failover to a replica does that is behind. */
export async function restore(store: TokenStore, record: Grant): Promise<void> {
  await store.deleteGrant(record.tenantId, record.grantId)
  await store.createGrant(record)
}
