import type { CredentialSwap } from './token-store'

/** A swap that no store applies: no credential has this hash, and its deadline has passed. */
export const noSwap: Omit<CredentialSwap, 'tenantId' | 'grantId'> = {
  from: '-'.repeat(43),
  to: '-'.repeat(43),
  attempt: '-'.repeat(43),
  redeems: [],
  remember: 0,
  rest: 0,
  lifetime: 0,
  deadline: 0,
}
