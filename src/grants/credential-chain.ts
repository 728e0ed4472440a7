import { type KeyObject, timingSafeEqual } from 'node:crypto'
import { derivedKey, macBytes } from '../protocol/digest'
import {
  type Binding,
  boundValues,
  type Credential,
  credentialHash,
  type IssuedCredential,
  partLength,
  publicBinding,
} from './credential'

/** A refresh token before it has a handle, dates and a tag: its secret, and the hash that the store keeps. */
export interface Successor {
  secret: Buffer
  hash: string
  /** What it is bound to. */
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

  /** The refresh tokens that follow the credential with this hash under each of the secrets. */
  successorsUnderEach(grantId: string, hash: string, binding: Binding): Successor[] {
    return this.#successors(grantId, hash, [binding])
  }

  /**
   * Derives the live refresh token from a credential that was redeemed some steps before it.
   *
   * @param hash The hash of that credential.
   * @param marks The marks of the credentials that were redeemed since, the oldest first.
   * @param live The hash of the live refresh token.
   * @param binding What the live refresh token can be bound to: a client that authenticates now may have been public before.
   * @returns Undefined if the credential does not lead to the live one this way.
   */
  liveSuccessor(grantId: string, hash: string, marks: readonly string[], live: string, binding: Binding) {
    const bindings = bindingsUpTo(binding)
    let reached = hash
    for (const mark of marks) {
      const next = this.#successors(grantId, reached, bindings).find((successor) => successor.hash.startsWith(mark))
      if (!next) return undefined
      reached = next.hash
    }
    return this.#successors(grantId, reached, bindings).find((successor) => successor.hash === live)
  }

  /**
   * Finds out whether the credential with the hash `later` follows the one with the hash `earlier` within a few steps.
   *
   * @returns The hashes of the credentials before `later`, from the newest down to `earlier`. Undefined if it does not follow.
   */
  pathBetween(grantId: string, earlier: string, later: string, binding: Binding): Path | undefined {
    return this.#pathBetween(grantId, earlier, later, bindingsUpTo(binding), maxGap)
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

  #pathBetween(
    grantId: string,
    earlier: string,
    later: string,
    bindings: readonly Binding[],
    steps: number,
  ): Path | undefined {
    if (steps === 0) return undefined
    for (const { hash, binding } of this.#successors(grantId, earlier, bindings)) {
      if (hash === later) return [earlier]
      // A client that has authenticated must do so from then on.
      const next = binding.isAuthenticated ? [binding] : bindings
      const path = this.#pathBetween(grantId, hash, later, next, steps - 1)
      if (path) return [...path, earlier] as [string, ...string[]]
    }
    return undefined
  }

  #successors(grantId: string, hash: string, bindings: readonly Binding[]): Successor[] {
    return bindings.flatMap((binding) => this.#keys.map(({ chain }) => successorUnder(chain, grantId, hash, binding)))
  }
}

/** The hashes of the credentials of a chain, from the newest down. */
type Path = readonly [string, ...string[]]

/** What the credentials before one with this binding can be bound to: those of a client that authenticates may be from before it did. */
function bindingsUpTo(binding: Binding): readonly Binding[] {
  return binding.isAuthenticated ? [binding, publicBinding(binding)] : [binding]
}

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
