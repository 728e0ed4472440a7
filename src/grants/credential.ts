import type { Grant } from '../contract/token-store'
import { customerHandle } from '../protocol/customer-handle'
import { digest } from '../protocol/digest'
import { type CredentialKind, credentialKinds } from '../protocol/grant-types'
import type { ResolvedTenant, TenantIdentity } from '../tenants/resolved-tenant'

/**
 * A code or refresh token as a client presents it: `prefix_` and base64url(handle ‖ secret ‖ expiry ‖ tag), of 25, 16, 6 and 16 bytes.
 *
 * The handle names the grant: the customer's handle and 16 random bytes. The secret redeems it. The expiry tells an operator whether a grant
 * that is gone had expired; nothing else rests on it. The tag proves that this server issued the credential, and to whom.
 */
export interface Credential {
  kind: CredentialKind
  handle: Buffer
  secret: Buffer
  dates: Buffer
  tag: Buffer
}

/**
 * What the redeemer must present with the credential. The credential's hash covers it, so a caller who presents anything else does not
 * have the credential, and cannot use it up.
 */
export interface Binding {
  clientId: string
  /** Only for a code. */
  redirectUri?: string | undefined
  /** Only for a code: the challenge that the code_verifier must match. */
  codeChallenge?: string | undefined
  /** Whether the redeemer must have authenticated as the client (RFC 6749 section 3.2.1). A client that begins to must sign in again. */
  isAuthenticated?: boolean | undefined
}

/** The binding of a credential that only an authenticated client redeems. */
export function authenticatedBinding(binding: Binding): Binding {
  return { ...binding, isAuthenticated: true }
}

/** A credential with all that its redeemer presents with it. */
export interface PresentedCredential {
  credential: Credential
  grantId: string
  /** What the credential is bound to. */
  binding: Binding
  /** In canonical form, if the request names one. */
  resource: string | undefined
  tenant: ResolvedTenant
  /** How long the grant lives after it is redeemed, in milliseconds. */
  lifetime: number
  /** Whether the client has hung up without waiting for the response. */
  hasHungUp(): Promise<boolean>
}

/** What says whether this server has issued a credential. */
export type IssuedCredential = Pick<PresentedCredential, 'credential' | 'grantId' | 'binding'> & {
  tenant: TenantIdentity
}

/** The length of a secret and of a tag, in bytes. */
export const partLength = 16
const customerLength = 9
const handleLength = customerLength + partLength
const secretEnd = handleLength + partLength
const datesLength = 6
const bodyPattern = /^[A-Za-z0-9_-]{84}$/

/** Makes the handle of a new grant of a customer, with 16 bytes that no other grant has. */
export function handleOf(tenantId: string, subject: string, own: Buffer): Buffer {
  return Buffer.concat([Buffer.from(customerHandle(tenantId, subject), 'base64url'), own])
}

/** Reads a credential. @returns Undefined if the text does not have the form of a credential of this kind. */
export function parseCredential(kind: CredentialKind, text: string): Credential | undefined {
  const { prefix } = credentialKinds[kind]
  const body = text.slice(prefix.length)
  if (!text.startsWith(prefix) || !bodyPattern.test(body)) return undefined
  const bytes = Buffer.from(body, 'base64url')
  return {
    kind,
    handle: bytes.subarray(0, handleLength),
    secret: bytes.subarray(handleLength, secretEnd),
    dates: bytes.subarray(secretEnd, secretEnd + datesLength),
    tag: bytes.subarray(secretEnd + datesLength),
  }
}

export function formatCredential({ kind, handle, secret, dates, tag }: Credential): string {
  return credentialKinds[kind].prefix + Buffer.concat([handle, secret, dates, tag]).toString('base64url')
}

/** Encodes when the live credential of a grant expires: a byte that says whether the grant ends then in any case, and seconds since 1970. */
export function datesOf(grant: Pick<Grant, 'expiresAt' | 'endsAt'>): Buffer {
  const { expiresAt, isEnd } = expiryOf(grant)
  const dates = Buffer.alloc(datesLength)
  dates.writeUInt8(Number(isEnd))
  dates.writeUIntBE(Math.ceil(expiresAt / 1000), 1, datesLength - 1)
  return dates
}

/** When a credential expires, in milliseconds since 1970, and whether its grant ends then in any case (`grantLifetime`). */
export interface Expiry {
  expiresAt: number
  isEnd: boolean
}

/** When the live credential of a grant expires. */
export function expiryOf({ expiresAt, endsAt }: Pick<Grant, 'expiresAt' | 'endsAt'>): Expiry {
  return { expiresAt, isEnd: expiresAt === endsAt }
}

/** When a credential says that it expires. */
export function readExpiry({ dates }: Credential): Expiry {
  return { expiresAt: dates.readUIntBE(1, datesLength - 1) * 1000, isEnd: dates.readUInt8() === 1 }
}

/**
 * The id of a grant: its customer's handle, and a hash of the whole handle. A person who reads the store, a log or an access token cannot
 * name the grant to the token endpoint.
 */
export function grantIdOf(handle: Buffer): string {
  const own = digest('grant', handle).slice(0, 16)
  return handle.subarray(0, customerLength).toString('base64url') + own
}

/** The hash that the store has of a live credential. */
export function credentialHash(kind: CredentialKind, secret: Buffer, binding: Binding): string {
  return digest(kind, secret, ...boundValues(kind, binding))
}

/** Whether a credential is the one that redeems the grant now. */
export function isLive(
  { credential, binding }: Pick<PresentedCredential, 'credential' | 'binding'>,
  grant: Grant,
): boolean {
  return credentialHash(credential.kind, credential.secret, binding) === grant.credential?.hash
}

/** What the redeemer of a grant's live credential must present, as far as the record says it: not whether it must have authenticated. */
export function bindingOf(grant: Grant): Binding {
  return {
    clientId: grant.clientId,
    redirectUri: grant.request?.redirectUri,
    codeChallenge: grant.request?.codeChallenge,
  }
}

/** The values of a binding that belong to a kind of credential, in their order. */
export function boundValues(kind: CredentialKind, binding: Binding): string[] {
  const values = credentialKinds[kind].boundTo.map((name) => binding[name] ?? '')
  if (binding.isAuthenticated) values.push('authenticated')
  return values
}
