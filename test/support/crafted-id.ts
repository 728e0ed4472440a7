import { deflateRawSync } from 'node:zlib'

/** What somebody writes into the id of a client by hand. */
export interface Crafted {
  /** The registration: redirect URIs with spaces between them, and on lines of their own a name, a host, and keys or their address. */
  text: string | Buffer
  /** The version and the flags. By default those of a public client whose registration is not compressed. */
  header?: number
  random?: Buffer
}

/** The id of a client that has never registered. Anybody can make one. */
export function craftedId({
  text,
  header = 0x10,
  random = Buffer.alloc((header & 2) === 0 ? 6 : 16, 7),
}: Crafted): string {
  const plain = Buffer.from(text)
  const body = (header & 1) === 0 ? plain : deflateRawSync(plain)
  return `dcr_${Buffer.concat([Buffer.from([header]), random, body]).toString('base64url')}`
}
