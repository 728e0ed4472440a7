import { randomBytes } from 'node:crypto'

/** The parts of a credential's text, which everybody who has the credential can read. */
export interface CredentialText {
  prefix: string
  handle: Buffer
  secret: Buffer
  expiry: Buffer
  tag: Buffer
}

export function takenApart(text: string): CredentialText {
  const bytes = Buffer.from(text.slice(5), 'base64url')
  return {
    prefix: text.slice(0, 5),
    handle: bytes.subarray(0, 25),
    secret: bytes.subarray(25, 41),
    expiry: bytes.subarray(41, 47),
    tag: bytes.subarray(47),
  }
}

/** A credential with some parts replaced. */
export function forged(text: string, changes: Partial<CredentialText>): string {
  const { prefix, handle, secret, expiry, tag } = { ...takenApart(text), ...changes }
  return prefix + Buffer.concat([handle, secret, expiry, tag]).toString('base64url')
}

export function junk(): Buffer {
  return randomBytes(16)
}
