import { createHmac, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../protocol/derived-key'
import { framed } from '../protocol/framed'
import { type Binding, boundValues, type Credential, credentialHash, partOf } from './credential'

/** A credential before it has a tag and a handle: its secret and the hash that the store keeps. */
export interface Successor {
  secret: Buffer
  hash: string
}

// How far the store may be behind a client after a failover.
const longestGap = 4

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
  successor(grantId: string, hash: string, clientId: string): Successor {
    return successorUnder(this.#first.chain, grantId, hash, clientId)
  }

  /** The same, where `live` is its hash under any of the keys. */
  successorIfLive(grantId: string, hash: string, live: string, clientId: string): Successor | undefined {
    return this.#successors(grantId, hash, clientId).find((successor) => successor.hash === live)
  }

  /** Whether the credential with hash `later` follows, within a few steps, the one with hash `earlier`. */
  follows(grantId: string, earlier: string, later: string, clientId: string, steps = longestGap): boolean {
    if (steps === 0) return false
    return this.#successors(grantId, earlier, clientId).some(
      ({ hash }) => hash === later || this.follows(grantId, hash, later, clientId, steps - 1),
    )
  }

  /** The proof that this server minted a credential, for this tenant, grant and redeemer. */
  tag(tenantId: string, grantId: string, credential: Pick<Credential, 'kind' | 'secret'>, binding: Binding): Buffer {
    return tagUnder(this.#first.tag, tenantId, grantId, credential, binding)
  }

  /** Whether a credential carries its proof, under any of the keys. */
  verifiesTag(tenantId: string, grantId: string, credential: Credential, binding: Binding): boolean {
    return this.#keys.some(({ tag }) =>
      timingSafeEqual(tagUnder(tag, tenantId, grantId, credential, binding), credential.tag),
    )
  }

  #successors(grantId: string, hash: string, clientId: string): Successor[] {
    return this.#keys.map(({ chain }) => successorUnder(chain, grantId, hash, clientId))
  }
}

function successorUnder(key: Buffer, grantId: string, hash: string, clientId: string): Successor {
  const secret = partOf(
    createHmac('sha256', key)
      .update(framed('v1', 'successor', grantId, hash))
      .digest('base64url'),
  )
  return { secret, hash: credentialHash('refresh_token', secret, { client_id: clientId }) }
}

function tagUnder(
  key: Buffer,
  tenantId: string,
  grantId: string,
  { kind, secret }: Pick<Credential, 'kind' | 'secret'>,
  binding: Binding,
): Buffer {
  const message = framed('v1', kind, tenantId, grantId, secret, ...boundValues(kind, binding))
  return partOf(createHmac('sha256', key).update(message).digest('base64url'))
}
