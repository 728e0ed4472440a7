import { digest } from './digest'

/** How many characters at the start of a grant's id name its customer. */
export const customerHandleLength = 12

/**
 * Names a customer of a tenant without saying who they are: 9 bytes of a hash, as base64url. The id of each of their grants begins with it, so
 * that a store can keep one customer's grants together by their ids alone. Two customers may share a handle; the subject tells them apart.
 */
export function customerHandle(tenantId: string, subject: string): string {
  return digest('customer', tenantId, subject).slice(0, customerHandleLength)
}
