import { customerHandle, customerHandleLength } from '../../src/protocol/customer-handle'

/** The key of a grant, with the default prefix. */
export function grantKey(grantId: string, tenantId = 'acme'): string {
  const [handle, rest] = [grantId.slice(0, customerHandleLength), grantId.slice(customerHandleLength)]
  return `csi:g:{${tenantId}:${handle}}${rest}`
}

/** The key of the index of a customer's grants. */
export function indexKey(subject = 'customer-1', tenantId = 'acme'): string {
  return `csi:s:{${tenantId}:${customerHandle(tenantId, subject)}}`
}

/** The name of a grant in that index. */
export function indexMember(grantId: string): string {
  return grantId.slice(customerHandleLength)
}
