import { timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../protocol/derived-key'
import { macBytes } from '../protocol/mac'
import {
  type Binding,
  boundValues,
  type Credential,
  credentialHash,
  type PresentedCredential,
  partLength,
} from './credential'

/** A credential before it has a tag and a handle: its secret and the hash that the store keeps. */
export interface Successor {
  secret: Buffer
  hash: string
}

/** What a tag covers of a credential, besides its grant and redeemer. */
type Untagged = Pick<Credential, 'kind' | 'secret' | 'expiry'>

// How far the store may be behind a client after a failover.
const maxGap = 4

/**
 * The keys from which every refresh token of a grant follows from the credential before it, so that only this server can
 * say what comes after what (docs/credential-chain.md).
 *
 * The first secret derives; all are recognised, so that processes may hold them in different order while they rotate.
 */
export class CredentialChain {
  readonly #keys: { chain: Buffer; tag: Buffer }[]
  readonly #first: { chain: Buffer; tag: Buffer }

  constructor(secrets: readonly [Buffer, ...Buffer[]]) {
    const keysOf = (secret: Buffer) => ({ chain: derivedKey(secret, 'chain'), tag: derivedKey(secret, 'tag') })
    this.#first = keysOf(secrets[0])
    this.#keys = [this.#first, ...secrets.slice(1).map(keysOf)]
  }

  /** The refresh token that follows the credential with this hash. */
  successor(grantId: string, hash: string, binding: Binding): Successor {
    return successorUnder(this.#first.chain, grantId, hash, binding)
  }

  /**
   * The live refresh token, as its holder of some steps before reaches it.
   *
   * @param hash The credential to begin at.
   * @param marks What was redeemed since, the oldest first.
   * @param live The hash of the live refresh token.
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
   * How the credential with hash `later` follows, within a few steps, the one with hash `earlier`: the hashes before it, the newest
   * first, down to `earlier`. Undefined where it does not.
   */
  pathBetween(
    grantId: string,
    earlier: string,
    later: string,
    binding: Binding,
    steps = maxGap,
  ): readonly [string, ...string[]] | undefined {
    if (steps === 0) return undefined
    for (const { hash } of this.#successors(grantId, earlier, binding)) {
      if (hash === later) return [earlier]
      const path = this.pathBetween(grantId, hash, later, binding, steps - 1)
      if (path) return [...path, earlier] as [string, ...string[]]
    }
    return undefined
  }

  /** The proof that this server minted a credential, for this tenant, grant and redeemer. */
  tag(tenantId: string, grantId: string, credential: Untagged, binding: Binding): Buffer {
    return tagUnder(this.#first.tag, tenantId, grantId, credential, binding)
  }

  /** Whether this server minted a credential, under any of the keys, for just this redeemer. Only then can it be a replay. */
  minted({
    credential,
    grantId,
    binding,
    tenant,
  }: Pick<PresentedCredential, 'credential' | 'grantId' | 'binding' | 'tenant'>): boolean {
    return this.#keys.some(({ tag }) =>
      timingSafeEqual(tagUnder(tag, tenant.id, grantId, credential, binding), credential.tag),
    )
  }

  #successors(grantId: string, hash: string, binding: Binding): Successor[] {
    return this.#keys.map(({ chain }) => successorUnder(chain, grantId, hash, binding))
  }
}

function successorUnder(key: Buffer, grantId: string, hash: string, binding: Binding): Successor {
  const secret = macBytes(key, partLength, 'successor', grantId, hash)
  return { secret, hash: credentialHash('refresh_token', secret, binding) }
}

function tagUnder(
  key: Buffer,
  tenantId: string,
  grantId: string,
  { kind, secret, expiry }: Untagged,
  binding: Binding,
): Buffer {
  return macBytes(key, partLength, kind, tenantId, grantId, secret, expiry, ...boundValues(kind, binding))
}
