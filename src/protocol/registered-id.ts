import { randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { type JsonWebKeySet, keySetFault, publicPart } from './json-web-keys'
import { maxRedirectUris } from './redirect-uri'

/** Whether a text can be a client id: 1 to 2048 characters of printable ASCII (`VSCHAR` in RFC 6749 appendix A.1). */
export function isClientId(text: string): boolean {
  return /^[\x20-\x7E]{1,2048}$/.test(text)
}

/** The registration that an id carries. Anybody can write an id, so nothing of it is more than what a stranger says. */
export interface CarriedRegistration {
  redirectUris: readonly string[]
  clientName?: string | undefined
  /** The host of the client's own web page, with its port if that is not the default one. */
  clientHost?: string | undefined
  /** Whether the client authenticates with a secret. It then has no keys. */
  hasSecret: boolean
  /** Whether it proves a key with each request (RFC 9449 section 5.2). */
  provesKey: boolean
  jwks?: JsonWebKeySet | undefined
  jwksUri?: string | undefined
}

const prefix = 'dcr_'

/** The most characters of an id: an authorization request then takes less than 2,000, which every browser and proxy passes on. */
export const maxRegisteredIdLength = 1024

/** The most bytes of a registration in an id, before they are compressed. */
const maxBytes = 4000

// The first byte: the version in its upper half, and flags. The random bytes follow, and then the registration.
const version = 0x10
const deflated = 0x01
const secret = 0x02
const key = 0x04

/** Whether a text has the beginning of the ids that this server gives to clients that register themselves. */
export function isRegisteredId(clientId: string): boolean {
  return clientId.startsWith(prefix)
}

/** An id as a page shows it where there is no name: the ids of registered clients are long, and begin with what distinguishes them. */
export function shownId(clientId: string): string {
  return isRegisteredId(clientId) ? `${clientId.slice(0, 14)}…` : clientId
}

/** Makes an id that carries a registration. No other one has it, not even one that says the same. @returns Undefined if it is too long. */
export function newRegisteredId(registration: CarriedRegistration): string | undefined {
  const plain = Buffer.from(textOf(registration))
  if (plain.length > maxBytes) return undefined
  const small = deflateRawSync(plain, { level: 9 })
  const isSmaller = small.length < plain.length
  const { hasSecret, provesKey } = registration
  const header = version | (isSmaller ? deflated : 0) | (hasSecret ? secret : 0) | (provesKey ? key : 0)
  const random = randomBytes(randomLength(hasSecret))
  const id = prefix + Buffer.concat([Buffer.from([header]), random, isSmaller ? small : plain]).toString('base64url')
  return id.length <= maxRegisteredIdLength ? id : undefined
}

/**
 * Reads the registration that an id carries.
 *
 * Everything in an id has one spelling, except for how it is compressed: compressors differ between versions of Node, and each must read what
 * another one has written. Two ids that differ are two clients in any case, because whatever belongs to a client is bound to the text of its id.
 *
 * @returns Undefined if {@link newRegisteredId} of this version cannot have made the id.
 */
export function registrationIn(clientId: string): CarriedRegistration | undefined {
  if (!isRegisteredId(clientId) || clientId.length > maxRegisteredIdLength) return undefined
  const bytes = Buffer.from(clientId.slice(prefix.length), 'base64url')
  // Buffer ignores characters that are not base64url, and bits that no byte needs.
  if (prefix + bytes.toString('base64url') !== clientId) return undefined
  const [header = 0] = bytes
  if ((header & ~(deflated | secret | key)) !== version) return undefined
  const hasSecret = (header & secret) !== 0
  const payload = bytes.subarray(1 + randomLength(hasSecret))
  try {
    const text = utf8.decode((header & deflated) !== 0 ? inflated(payload) : payload)
    const registration = { ...parsed(text, hasSecret), provesKey: (header & key) !== 0 }
    return isComplete(registration) && textOf(registration) === text ? registration : undefined
  } catch {
    return undefined
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The key of a secret is the text of its id, so such an id must never be made twice. The others need only differ from each other. */
function randomLength(hasSecret: boolean): number {
  return hasSecret ? 16 : 6
}

/** Lines, so that it has one spelling and no quotation marks: redirect URIs, name, host, and keys or their address. */
function textOf({ redirectUris, clientName = '', clientHost = '', jwks, jwksUri = '' }: CarriedRegistration): string {
  const keys = jwks ? JSON.stringify(publicPart(jwks)) : jwksUri
  return [[...new Set(redirectUris)].join(' '), clientName, clientHost, keys].join('\n').replace(/\n+$/, '')
}

function parsed(text: string, hasSecret: boolean): Omit<CarriedRegistration, 'provesKey'> {
  const [redirectUris = '', name, host, keys] = text.split('\n')
  return {
    redirectUris: redirectUris.split(' '),
    ...(name && { clientName: name }),
    ...(host && { clientHost: host }),
    hasSecret,
    ...(keys && (keys.startsWith('{') ? { jwks: JSON.parse(keys) } : { jwksUri: keys })),
  }
}

function isComplete({ redirectUris, clientHost, hasSecret, jwks, jwksUri }: ReturnType<typeof parsed>): boolean {
  const areUris = redirectUris.length <= maxRedirectUris && redirectUris.every(Boolean)
  const isHost = clientHost === undefined || new URL(`https://${clientHost}`).host === clientHost
  const areKeys = jwks === undefined || keySetFault(jwks) === undefined
  return areUris && isHost && areKeys && !(hasSecret && (jwks ?? jwksUri) !== undefined)
}

/** @throws If that is no whole compressed text, or something follows it, or there are too many bytes. */
function inflated(bytes: Buffer): Buffer {
  const result: unknown = inflateRawSync(bytes, { info: true, maxOutputLength: maxBytes })
  // The types do not know what `info` returns.
  const { buffer, engine } = result as { buffer: Buffer; engine: { bytesWritten: number } }
  if (engine.bytesWritten !== bytes.length) throw new RangeError('Something follows the compressed text')
  return buffer
}
