import { digest } from './digest'

/** How many characters at the start of a grant's id name its customer. */
export const customerHandleLength = 12

/**
 * Names a customer of a tenant: 9 bytes of a hash, as base64url. The id of each of their grants begins with it, so that a store can keep one
 * customer's grants together by their ids alone. Two customers may share a handle; the subject tells them apart.
 *
 * It hides only a subject that nobody can guess, because no key goes into it: stores have none, and it must stay the same for as long as
 * there are grants, which is longer than any secret that is rotated.
 */
export function customerHandle(tenantId: string, subject: string): string {
  return digest('customer', tenantId, subject).slice(0, customerHandleLength)
}
