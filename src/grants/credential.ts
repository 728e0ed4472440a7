// More than 300 lines: all that a credential is, how it is written, what it is bound to, and what follows it.

import { type KeyObject, timingSafeEqual } from 'node:crypto'
import type { Grant } from '../contract/token-store'
import { customerHandle } from '../protocol/customer-handle'
import { derivedKey, digest, macBytes } from '../protocol/digest'
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
  /** The thumbprint of the key that the redeemer must prove (RFC 9449), or {@link anyKey}. Undefined if none. */
  key?: string | undefined
}

/** Which key the redeemer of a credential must prove. What is given for a proof is never redeemed without one. */
export type KeyNeeded = 'none' | 'any' | 'its own'

/** In place of a thumbprint: the redeemer must prove any key, because the client that has it is authenticated, or not known to have one yet. */
export const anyKey = 'any'

const keysNeeded: readonly KeyNeeded[] = ['none', 'any', 'its own']

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
  /** What the next refresh token is bound to. */
  next: Binding
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

/**
 * Encodes when the live credential of a grant expires: a byte that says whether the grant ends then in any case, and which key its redeemer must
 * prove; and seconds since 1970.
 */
export function datesOf(grant: Pick<Grant, 'expiresAt' | 'endsAt'>, { key }: Binding): Buffer {
  const { expiresAt, isEnd } = expiryOf(grant)
  const needed = key === undefined ? 'none' : key === anyKey ? 'any' : 'its own'
  const dates = Buffer.allocUnsafe(datesLength)
  dates.writeUInt8(Number(isEnd) + 2 * keysNeeded.indexOf(needed))
  dates.writeUIntBE(Math.ceil(expiresAt / 1000), 1, datesLength - 1)
  return dates
}

/** When a credential expires, in milliseconds since 1970, and whether its grant ends then in any case (`lifetimes.grant`). */
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
  return { expiresAt: dates.readUIntBE(1, datesLength - 1) * 1000, isEnd: dates.readUInt8() % 2 === 1 }
}

/** Which key the redeemer of a credential must prove, as the credential says. Whoever changes that has another credential: its hash has the key. */
export function keyNeeded({ dates }: Credential): KeyNeeded {
  return keysNeeded[dates.readUInt8() >> 1] ?? 'its own'
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
  const values = boundValues(kind, binding)
  return digest(kind, secret, ...values, ...(binding.key === undefined ? [] : ['key', binding.key]))
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

/** Whether the customer has connected the client: a code that nobody has redeemed has connected nothing. */
export function isConnected({ credential }: Pick<Grant, 'credential'>): boolean {
  return credential?.kind !== 'code'
}

/**
 * The values of a binding that belong to a kind of credential, in their order, except its key: a client that revokes a refresh token proves
 * none.
 */
function boundValues(kind: CredentialKind, binding: Binding): string[] {
  const values = credentialKinds[kind].boundTo.map((name) => binding[name] ?? '')
  if (binding.isAuthenticated) values.push('authenticated')
  return values
}

/** A refresh token before it has a handle, dates and a tag: its secret, the hash that the store keeps, and what it is bound to. */
export interface Successor {
  secret: Buffer
  hash: string
  binding: Binding
}

/** The parts of a credential that its tag covers, together with its grant and its redeemer. */
type Untagged = Pick<Credential, 'kind' | 'secret' | 'dates'>

/** The keys of one secret. */
interface ChainKeys {
  chain: KeyObject
  tag: KeyObject
}

// How many redemptions the store may be behind a client after a failover.
const maxGap = 4

/**
 * Derives each refresh token of a grant from the credential before it, under keys that only this server has. So only this server can tell
 * which credential follows which (docs/credential-chain.md).
 *
 * It derives under the first secret and recognises all of them, so processes may list them in different order while a secret is replaced.
 */
export class CredentialChain {
  #keys: readonly [ChainKeys, ...ChainKeys[]]

  constructor(secrets: readonly [Buffer, ...Buffer[]]) {
    this.#keys = keysOf(secrets)
  }

  /** Derives and recognises under these secrets from now on. */
  use(secrets: readonly [Buffer, ...Buffer[]]): void {
    this.#keys = keysOf(secrets)
  }

  /** The refresh token that follows the credential with this hash. */
  successor(grantId: string, hash: string, binding: Binding): Successor {
    return successorUnder(this.#keys[0].chain, grantId, hash, binding)
  }

  /**
   * The refresh tokens that can follow the credential with this hash, under each of the secrets.
   *
   * @param bindings Refresh tokens of one grant differ in this if its client has begun to prove a key.
   */
  successorsUnderEach(grantId: string, hash: string, bindings: readonly Binding[]): Successor[] {
    return bindings.flatMap((binding) => this.#keys.map(({ chain }) => successorUnder(chain, grantId, hash, binding)))
  }

  /**
   * Derives the live refresh token from a credential that was redeemed some steps before it.
   *
   * @param hash The hash of that credential.
   * @param marks The marks of the credentials that were redeemed since, the oldest first.
   * @param live The hash of the live refresh token.
   * @returns Undefined if the credential does not lead to the live one this way.
   */
  liveSuccessor(grantId: string, hash: string, marks: readonly string[], live: string, bindings: readonly Binding[]) {
    let reached = hash
    for (const mark of marks) {
      const next = this.successorsUnderEach(grantId, reached, bindings).find((successor) =>
        successor.hash.startsWith(mark),
      )
      if (!next) return undefined
      reached = next.hash
    }
    return this.successorsUnderEach(grantId, reached, bindings).find((successor) => successor.hash === live)
  }

  /**
   * Finds out whether the credential with the hash `later` follows the one with the hash `earlier` within a few steps.
   *
   * @returns The hashes of the credentials before `later`, from the newest down to `earlier`. Undefined if it does not follow.
   */
  pathBetween(
    grantId: string,
    earlier: string,
    later: string,
    bindings: readonly Binding[],
    steps = maxGap,
  ): Path | undefined {
    if (steps === 0) return undefined
    for (const { hash } of this.successorsUnderEach(grantId, earlier, bindings)) {
      if (hash === later) return [earlier]
      const path = this.pathBetween(grantId, hash, later, bindings, steps - 1)
      if (path) return [...path, earlier] as [string, ...string[]]
    }
    return undefined
  }

  /** Proves that this server issued a credential of this tenant and grant to this redeemer. */
  tag(tenantId: string, grantId: string, credential: Untagged, binding: Binding): Buffer {
    const [{ tag }] = this.#keys
    return keyedTag(tag, tagUnder(tag, tenantId, grantId, credential, binding), binding)
  }

  /**
   * Whether this server issued a credential to exactly this redeemer, under any of the keys, whatever key the redeemer proves. Only then can it be a
   * replay.
   */
  hasIssued({ credential, grantId, binding, tenant }: IssuedCredential): boolean {
    const length = keyNeeded(credential) === 'its own' ? partLength - keyTagLength : partLength
    const given = credential.tag.subarray(0, length)
    return this.#keys.some(({ tag }) =>
      timingSafeEqual(tagUnder(tag, tenant.id, grantId, credential, binding).subarray(0, length), given),
    )
  }

  /** The same, with the very key of the credential, if it has one. */
  hasIssuedForKey({ credential, grantId, binding, tenant }: IssuedCredential): boolean {
    return this.#keys.some(({ tag }) =>
      timingSafeEqual(keyedTag(tag, tagUnder(tag, tenant.id, grantId, credential, binding), binding), credential.tag),
    )
  }
}

// Of a tag, for the key of its credential. Whoever has another one finds a credential for it once in four thousand million.
const keyTagLength = 4

/** The tag of a credential that is bound to a key proves that too, at its end: without the key, the rest can still be verified. */
function keyedTag(tagKey: KeyObject, tag: Buffer, { key }: Binding): Buffer {
  if (key === undefined || key === anyKey) return tag
  const end = macBytes(tagKey, keyTagLength, 'key of a credential', tag, key)
  return Buffer.concat([tag.subarray(0, partLength - keyTagLength), end])
}

/** The hashes of the credentials of a chain, from the newest down. */
type Path = readonly [string, ...string[]]

function keysOf([first, ...others]: readonly [Buffer, ...Buffer[]]): readonly [ChainKeys, ...ChainKeys[]] {
  const keys = (secret: Buffer) => ({ chain: derivedKey(secret, 'chain'), tag: derivedKey(secret, 'tag') })
  return [keys(first), ...others.map(keys)]
}

function successorUnder(key: KeyObject, grantId: string, hash: string, binding: Binding): Successor {
  const secret = macBytes(key, partLength, 'successor', grantId, hash)
  return { secret, hash: credentialHash('refresh_token', secret, binding), binding }
}

function tagUnder(
  key: KeyObject,
  tenantId: string,
  grantId: string,
  { kind, secret, dates }: Untagged,
  binding: Binding,
): Buffer {
  return macBytes(key, partLength, kind, tenantId, grantId, secret, dates, ...boundValues(kind, binding))
}
