import { randomBytes } from 'node:crypto'

/** Makes the id of a client that registers itself. Its form distinguishes it from the ids that companies give to their own clients. */
export function newRegisteredId(): string {
  return `dcr_${randomBytes(16).toString('base64url')}`
}

/** Whether an id has the form of those that this server gives to clients that register themselves. */
export function isRegisteredId(clientId: string): boolean {
  return /^dcr_[\w-]{22}$/.test(clientId)
}

/** Whether a text can be a client id: 1 to 2048 characters of printable ASCII (`VSCHAR` in RFC 6749 appendix A.1). */
export function isClientId(text: string): boolean {
  return /^[\x20-\x7E]{1,2048}$/.test(text)
}
