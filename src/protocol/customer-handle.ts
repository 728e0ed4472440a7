import { hash } from 'node:crypto'
import { framed } from './framed'

/** How many characters of a grant's id name its customer. */
export const customerHandleLength = 12

/**
 * Names a customer of a tenant without saying who it is: 9 bytes of a hash, in base64url. Every grant's id begins with it, so that a
 * store finds what belongs together by the id alone. Two customers may share one; the subject decides.
 */
export function customerHandle(tenantId: string, subject: string): string {
  return hash('sha256', framed('v1', 'customer', tenantId, subject), 'base64url').slice(0, customerHandleLength)
}
