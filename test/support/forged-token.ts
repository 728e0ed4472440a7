import { constants, createHmac, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { signingKey } from './sign-in'

type Json = Record<string, unknown>

/** The parts of a token that a forger changes. */
export interface Changes {
  header?: Json
  payload?: Json
}

/** A token's header and payload, unverified. */
export function readToken(token: string): { header: Json; payload: Json } {
  const [header, payload] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString('utf8'))
  return { header: JSON.parse(header ?? ''), payload: JSON.parse(payload ?? '') }
}

/** A genuine token with parts changed, signed again with a P-256 key: by default the tests' own, as if by the server. */
export function forgedToken(genuine: string, changes: Changes, key: KeyObject = signingKey): string {
  return signed(signingInput(genuine, changes), key)
}

/** A token with a genuine one's header, and a text in place of its claims, signed as if by the server. */
export function forgedText(genuine: string, text: string): string {
  return signed([genuine.split('.')[0], Buffer.from(text).toString('base64url')].join('.'), signingKey)
}

/** The same without a signature (RFC 7519 section 6). */
export function unsignedToken(genuine: string, { header, payload }: Changes = {}): string {
  return `${signingInput(genuine, { header: { ...header, alg: 'none' }, payload })}.`
}

/** The same with the public key, which everybody has, as the secret of an HMAC (RFC 8725 section 2.1). */
export function tokenUnderPublicKey(genuine: string, { header, payload }: Changes = {}): string {
  const input = signingInput(genuine, { header: { ...header, alg: 'HS256' }, payload })
  const secret = createPublicKey(signingKey).export({ format: 'pem', type: 'spki' })
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`
}

/** The same, signed with an RSA key by another algorithm for such keys (RFC 7518 section 3.1). */
export function tokenByAlgorithm(genuine: string, alg: string, key: KeyObject): string {
  const input = signingInput(genuine, { header: { alg } })
  const padding = alg.startsWith('PS') ? constants.RSA_PKCS1_PSS_PADDING : constants.RSA_PKCS1_PADDING
  const parameters = { key, padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return `${input}.${sign(`sha${alg.slice(2)}`, Buffer.from(input), parameters).toString('base64url')}`
}

function signed(input: string, key: KeyObject): string {
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

function signingInput(genuine: string, { header, payload }: Changes): string {
  const read = readToken(genuine)
  const parts = [
    { ...read.header, ...header },
    { ...read.payload, ...payload },
  ]
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
}
