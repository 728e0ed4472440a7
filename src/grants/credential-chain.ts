import { type KeyObject, timingSafeEqual } from 'node:crypto'
import { derivedKey, macBytes } from '../protocol/digest'
import {
  type Binding,
  boundValues,
  type Credential,
  credentialHash,
  type IssuedCredential,
  partLength,
} from './credential'

/** A refresh token before it has a handle, dates and a tag: its secret, and the hash that the store keeps. */
export interface Successor {
  secret: Buffer
  hash: string
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

  /** The refresh tokens that follow the credential with this hash under each of the secrets. */
  successorsUnderEach(grantId: string, hash: string, binding: Binding): Successor[] {
    return this.#successors(grantId, hash, binding)
  }

  /**
   * Derives the live refresh token from a credential that was redeemed some steps before it.
   *
   * @param hash The hash of that credential.
   * @param marks The marks of the credentials that were redeemed since, the oldest first.
   * @param live The hash of the live refresh token.
   * @returns Undefined if the credential does not lead to the live one this way.
   */
  liveSuccessor(grantId: string, hash: string, marks: readonly string[], live: string, binding: Binding) {
    let reached = hash
    for (const mark of marks) {
      const next = this.#successors(grantId, reached, binding).find((successor) => successor.hash.startsWith(mark))
      if (!next) return undefined
      reached = next.hash
    }
    return this.#successors(grantId, reached, binding).find((successor) => successor.hash === live)
  }

  /**
   * Finds out whether the credential with the hash `later` follows the one with the hash `earlier` within a few steps.
   *
   * @returns The hashes of the credentials before `later`, from the newest down to `earlier`. Undefined if it does not follow.
   */
  pathBetween(grantId: string, earlier: string, later: string, binding: Binding): Path | undefined {
    return this.#pathBetween(grantId, earlier, later, binding, maxGap)
  }

  /** Proves that this server issued a credential of this tenant and grant to this redeemer. */
  tag(tenantId: string, grantId: string, credential: Untagged, binding: Binding): Buffer {
    return tagUnder(this.#keys[0].tag, tenantId, grantId, credential, binding)
  }

  /** Whether this server issued a credential to exactly this redeemer, under any of the keys. Only then can it be a replay. */
  hasIssued({ credential, grantId, binding, tenant }: IssuedCredential): boolean {
    return this.#keys.some(({ tag }) =>
      timingSafeEqual(tagUnder(tag, tenant.id, grantId, credential, binding), credential.tag),
    )
  }

  #pathBetween(grantId: string, earlier: string, later: string, binding: Binding, steps: number): Path | undefined {
    if (steps === 0) return undefined
    for (const { hash } of this.#successors(grantId, earlier, binding)) {
      if (hash === later) return [earlier]
      const path = this.#pathBetween(grantId, hash, later, binding, steps - 1)
      if (path) return [...path, earlier] as [string, ...string[]]
    }
    return undefined
  }

  #successors(grantId: string, hash: string, binding: Binding): Successor[] {
    return this.#keys.map(({ chain }) => successorUnder(chain, grantId, hash, binding))
  }
}

/** The hashes of the credentials of a chain, from the newest down. */
type Path = readonly [string, ...string[]]

function keysOf([first, ...others]: readonly [Buffer, ...Buffer[]]): readonly [ChainKeys, ...ChainKeys[]] {
  const keys = (secret: Buffer) => ({ chain: derivedKey(secret, 'chain'), tag: derivedKey(secret, 'tag') })
  return [keys(first), ...others.map(keys)]
}

function successorUnder(key: KeyObject, grantId: string, hash: string, binding: Binding): Successor {
  const secret = macBytes(key, partLength, 'successor', grantId, hash)
  return { secret, hash: credentialHash('refresh_token', secret, binding) }
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
