import type { Grant } from '../../../src/contract/token-store'
import {
  anyKey,
  type Binding,
  CredentialChain,
  credentialHash,
  grantIdOf,
  keyNeeded,
  parseCredential,
  readExpiry,
} from '../../../src/grants/credential'
import { customerHandle } from '../../../src/protocol/customer-handle'

// Another program has computed these values.
const known = {
  customer: '7vmSTXw94YzT',
  grantId: 'AQEBAQEBAQEByDlR30NXGmnCwpog',
  code: '0QWUfanJqFURW0lQYSw6WbfEgETxQmMLSaEXE4Mt5uc',
  refreshToken: 'TJEUou92ReoKau-ts9ju9W6gPEHbWUqI_5MkBT4Ru78',
  authenticatedCode: 'o6pNVADXhTONAT-oHL31QkcK3zHE7oqKLCSr0S6GAVc',
  authenticatedRefreshToken: 'Su7VW5QIiGN3yXa6P7Ozdre0Bo7tp13LxpIzr5ZVXi8',
  nextSecret: 'V7PA8zsvcwbz0iF-Bj3jhQ',
  nextHash: '0bRiEqPiAwRx9OBickFBtnTgJiKUs2O1maqrIkz_at4',
  nextToken: 'csir_AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAVezwPM7L3MG89IhfgY944UBAGspA4WEypVVKKAIq-5EKLMPw8dY',
}

const [handle, secret] = [Buffer.alloc(25, 1), Buffer.alloc(16, 2)]
const binding: Binding = {
  clientId: 'https://assistant.example/client.json',
  redirectUri: 'https://assistant.example/callback',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
}

const theChain = () => new CredentialChain([Buffer.alloc(32, 3)])

/** A refresh token of the grant, as its client gets it. */
function written(
  times: { expiresAt: number; endsAt?: number | undefined },
  successor: { secret: Buffer; binding: Binding },
) {
  const grant = { tenantId: 'acme', grantId: known.grantId, ...times } as Grant
  return theChain().write('refresh_token', handle, successor, grant)
}

/** The same, as it is read. */
function presented(times: Parameters<typeof written>[0], bound: Binding = binding) {
  const credential = parseCredential('refresh_token', written(times, { secret, binding: bound }))
  if (!credential) throw new Error('It cannot be read')
  return credential
}

describe('the derivation behind stored grants and issued tokens', () => {
  it('has not changed, because a change would sign every customer out', () => {
    expect(customerHandle('acme', 'customer-1')).toBe(known.customer)
    expect(grantIdOf(handle)).toBe(known.grantId)
    expect(credentialHash('code', secret, binding)).toBe(known.code)
    expect(credentialHash('refresh_token', secret, binding)).toBe(known.refreshToken)

    const authenticated = { ...binding, isAuthenticated: true }
    expect(credentialHash('code', secret, authenticated)).toBe(known.authenticatedCode)
    expect(credentialHash('refresh_token', secret, authenticated)).toBe(known.authenticatedRefreshToken)

    const next = theChain().successor(known.grantId, known.code, binding)
    expect(next.secret.toString('base64url')).toBe(known.nextSecret)
    expect(next.hash).toBe(known.nextHash)

    expect(written({ expiresAt: 1_797_849_988_026, endsAt: 1_797_849_988_026 }, next)).toBe(known.nextToken)
  })
})

describe('a credential', () => {
  const noon = Date.UTC(2030, 0, 7, 12)
  it('is read only from a text of its own length and kind', () => {
    expect(parseCredential('refresh_token', known.nextToken)?.handle).toEqual(handle)
    const [prefix, body] = [known.nextToken.slice(0, 5), known.nextToken.slice(5)]
    for (const text of [`${prefix}A${body}`, `${prefix}${body}A`, prefix + body.slice(1), `csic_${body}`, body])
      expect(parseCredential('refresh_token', text)).toBeUndefined()
  })

  it('says when it expires, and whether its grant ends then', () => {
    const expiresAt = noon + 1000
    for (const endsAt of [undefined, expiresAt + 1, expiresAt]) {
      expect(readExpiry(presented({ expiresAt, endsAt }))).toEqual({ expiresAt, isEnd: endsAt === expiresAt })
    }
  })
})

describe('a credential that is bound to a key', () => {
  const expiresAt = Date.UTC(2030, 0, 7, 12)
  const thumbprint = 'k'.repeat(43)
  const dated = (key: string | undefined, endsAt?: number) =>
    presented({ expiresAt, endsAt }, { clientId: 'client', key })

  it.each([
    [undefined, 'none'],
    [anyKey, 'any'],
    [thumbprint, 'its own'],
  ])('says that its redeemer must prove it: %s', (key, needed) => {
    for (const endsAt of [undefined, expiresAt]) {
      expect(keyNeeded(dated(key, endsAt))).toBe(needed)
      expect(readExpiry(dated(key, endsAt))).toEqual({ expiresAt, isEnd: endsAt === expiresAt })
    }
  })

  it('has a hash of its own for each key', () => {
    const keys = [undefined, anyKey, thumbprint, 'K'.repeat(43)]
    const hashes = keys.map((key) => credentialHash('refresh_token', secret, { clientId: 'client', key }))
    expect(new Set(hashes).size).toBe(keys.length)
  })

  it('follows one that is not, once its client proves a key, and never the other way round', () => {
    const chain = theChain()
    const [plain, bound] = [{ clientId: 'client' }, { clientId: 'client', key: thumbprint }]
    const first = chain.successor(known.grantId, known.code, plain).hash
    const second = chain.successor(known.grantId, first, bound)
    expect(chain.pathBetween(known.grantId, known.code, second.hash, [bound, plain])).toEqual([first, known.code])
    expect(chain.pathBetween(known.grantId, known.code, second.hash, [plain])).toBeUndefined()
    expect(chain.liveSuccessor(known.grantId, first, [], second.hash, [bound, plain])).toEqual(second)
    expect(chain.liveSuccessor(known.grantId, first, [], second.hash, [plain])).toBeUndefined()
  })
})

describe('the refresh token after a code', () => {
  const chain = theChain()
  const ofClient = { clientId: binding.clientId }
  const ofOther = { ...binding, clientId: 'another-client' }

  it('is bound to the client, and not to the redirect URI and verifier of the code', () => {
    const next = chain.successor(known.grantId, known.code, binding)
    expect(chain.successor(known.grantId, known.code, ofClient).hash).toBe(next.hash)
    expect(chain.successor(known.grantId, known.code, ofOther).hash).not.toBe(next.hash)
  })

  it('is that of one redeemer: the chain of a client that authenticates is another one', () => {
    const authenticated = { ...ofClient, isAuthenticated: true }
    const second = chain.successor(known.grantId, known.code, ofClient).hash
    expect(chain.pathBetween(known.grantId, known.code, second, [ofClient])).toEqual([known.code])
    expect(chain.pathBetween(known.grantId, known.code, second, [authenticated])).toBeUndefined()
    expect(chain.liveSuccessor(known.grantId, known.code, [], second, [authenticated])).toBeUndefined()
  })
  it('can be found along the chain by its own client only', () => {
    const first = chain.successor(known.grantId, known.code, binding).hash
    const second = chain.successor(known.grantId, first, ofClient).hash
    const marks = [first.slice(0, 8)]
    expect(chain.liveSuccessor(known.grantId, known.code, marks, second, [ofClient])?.hash).toBe(second)
    expect(chain.liveSuccessor(known.grantId, known.code, marks, second, [ofOther])).toBeUndefined()
    expect(chain.pathBetween(known.grantId, known.code, second, [ofClient])).toEqual([first, known.code])
    expect(chain.pathBetween(known.grantId, known.code, second, [ofOther])).toBeUndefined()
  })
})
