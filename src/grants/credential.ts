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

/** What the redeemer must present with the credential. Its hash covers that, so whoever presents anything else cannot use the credential up. */
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

/** In place of a thumbprint: the redeemer must prove any key, because the client that has it is authenticated, or not known to have one yet. */
export const anyKey = 'any'

/** Which key the redeemer of a credential must prove. What is given for a proof is never redeemed without one. */
const keysNeeded = ['none', 'any', 'its own'] as const

/** What a tag covers. */
interface Tagged {
  credential: Omit<Credential, 'handle' | 'tag'>
  grantId: string
  binding: Binding
  tenant: Pick<TenantIdentity, 'id'>
}

/** What says whether this server has issued a credential. */
export interface IssuedCredential extends Tagged {
  credential: Credential
}

/** A credential with all that its redeemer presents with it. */
export interface PresentedCredential extends IssuedCredential {
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
 * Encodes when the live credential of a grant expires: a byte that says whether the grant ends then in any case, and which key its redeemer
 * must prove; and seconds since 1970.
 */
function datesOf(grant: Grant, { key }: Binding): Buffer {
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
export function expiryOf({ expiresAt, endsAt }: Grant): Expiry {
  return { expiresAt, isEnd: expiresAt === endsAt }
}

/** When a credential says that it expires. */
export function readExpiry({ dates }: Credential): Expiry {
  return { expiresAt: dates.readUIntBE(1, datesLength - 1) * 1000, isEnd: dates.readUInt8() % 2 === 1 }
}

/** Which key the redeemer must prove, as the credential says. Whoever changes that has another credential: its hash has the key. */
export function keyNeeded({ dates }: Credential): (typeof keysNeeded)[number] {
  return keysNeeded[dates.readUInt8() >> 1] ?? 'its own'
}

/** The id of a grant: its customer's handle, and a hash of the whole handle. Whoever reads it cannot name the grant to the token endpoint. */
export function grantIdOf(handle: Buffer): string {
  return handle.subarray(0, customerLength).toString('base64url') + digest('grant', handle).slice(0, 16)
}

/** The hash that the store has of a live credential. */
export function credentialHash(kind: CredentialKind, secret: Buffer, binding: Binding): string {
  const key = binding.key === undefined ? [] : ['key', binding.key]
  return digest(kind, secret, ...boundValues(kind, binding), ...key)
}

/** Whether a credential is the one that redeems the grant now. */
export function isLive({ credential, binding }: IssuedCredential, grant: Grant): boolean {
  return credentialHash(credential.kind, credential.secret, binding) === grant.credential?.hash
}

/** Whether the customer has connected the client: a code that nobody has redeemed has connected nothing. */
export function isConnected({ credential }: Pick<Grant, 'credential'>): boolean {
  return credential?.kind !== 'code'
}

/** What a kind of credential is bound to, in its order, except a key: a client that revokes a refresh token proves none. */
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

/** The keys of one secret. */
type ChainKeys = Record<'chain' | 'tag', KeyObject>

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

  /** Those that can follow it, under each secret. The bindings of one grant's refresh tokens differ if its client has begun to prove a key. */
  successorsUnderEach(grantId: string, hash: string, bindings: readonly Binding[]): Successor[] {
    return bindings.flatMap((binding) => this.#keys.map(({ chain }) => successorUnder(chain, grantId, hash, binding)))
  }

  /**
   * Derives the live refresh token from a credential that was redeemed some steps before it.
   *
   * @param marks The marks of the credentials that were redeemed since, the oldest first.
   * @returns Undefined if the credential does not lead to the live one this way.
   */
  liveSuccessor(grantId: string, hash: string, marks: readonly string[], live: string, bindings: readonly Binding[]) {
    let reached = hash
    for (const mark of marks) {
      const next = this.successorsUnderEach(grantId, reached, bindings).find(({ hash }) => hash.startsWith(mark))
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
  ): string[] | undefined {
    if (steps === 0) return undefined
    for (const { hash } of this.successorsUnderEach(grantId, earlier, bindings)) {
      const path = hash === later ? [] : this.pathBetween(grantId, hash, later, bindings, steps - 1)
      if (path) return [...path, earlier]
    }
    return undefined
  }

  /** Writes the credential that redeems a grant, as its redeemer gets it. Its tag proves that this server issued it to that redeemer. */
  write(kind: CredentialKind, handle: Buffer, { secret, binding }: Omit<Successor, 'hash'>, grant: Grant): string {
    const dates = datesOf(grant, binding)
    const issued = {
      credential: { kind, secret, dates },
      grantId: grant.grantId,
      binding,
      tenant: { id: grant.tenantId },
    }
    return formatCredential({ kind, handle, secret, dates, tag: keyedTag(this.#keys[0].tag, issued) })
  }

  /** Whether this server issued a credential to exactly this redeemer, whatever key the redeemer proves. Only then can it be a replay. */
  hasIssued(presented: IssuedCredential): boolean {
    const length = keyNeeded(presented.credential) === 'its own' ? partLength - keyTagLength : partLength
    const given = presented.credential.tag.subarray(0, length)
    return this.#keys.some(({ tag }) => timingSafeEqual(tagUnder(tag, presented).subarray(0, length), given))
  }

  /** The same, with the very key of the credential, if it has one. */
  hasIssuedForKey(presented: IssuedCredential): boolean {
    return this.#keys.some(({ tag }) => timingSafeEqual(keyedTag(tag, presented), presented.credential.tag))
  }
}

// Of a tag, for the key of its credential. Whoever has another one finds a credential for it once in four thousand million.
const keyTagLength = 4

/** The tag of a credential that is bound to a key proves that too, at its end: without the key, the rest can still be verified. */
function keyedTag(tagKey: KeyObject, issued: Tagged): Buffer {
  const tag = tagUnder(tagKey, issued)
  const { key } = issued.binding
  if (key === undefined || key === anyKey) return tag
  const end = macBytes(tagKey, keyTagLength, 'key of a credential', tag, key)
  return Buffer.concat([tag.subarray(0, partLength - keyTagLength), end])
}

function tagUnder(key: KeyObject, { credential: { kind, secret, dates }, grantId, binding, tenant }: Tagged): Buffer {
  return macBytes(key, partLength, kind, tenant.id, grantId, secret, dates, ...boundValues(kind, binding))
}

function keysOf([first, ...others]: readonly [Buffer, ...Buffer[]]): readonly [ChainKeys, ...ChainKeys[]] {
  const keys = (secret: Buffer) => ({ chain: derivedKey(secret, 'chain'), tag: derivedKey(secret, 'tag') })
  return [keys(first), ...others.map(keys)]
}

function successorUnder(key: KeyObject, grantId: string, hash: string, binding: Binding): Successor {
  const secret = macBytes(key, partLength, 'successor', grantId, hash)
  return { secret, hash: credentialHash('refresh_token', secret, binding), binding }
}
