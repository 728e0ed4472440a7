import {
  anyKey,
  CredentialChain,
  credentialHash,
  datesOf,
  formatCredential,
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
const binding = {
  clientId: 'https://assistant.example/client.json',
  redirectUri: 'https://assistant.example/callback',
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
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

    const chain = new CredentialChain([Buffer.alloc(32, 3)])
    const next = chain.successor(known.grantId, known.code, binding)
    expect(next.secret.toString('base64url')).toBe(known.nextSecret)
    expect(next.hash).toBe(known.nextHash)

    const kind = 'refresh_token'
    const dates = datesOf({ expiresAt: 1_797_849_988_026, endsAt: 1_797_849_988_026 }, binding)
    const tag = chain.tag('acme', known.grantId, { kind, secret: next.secret, dates }, binding)
    expect(formatCredential({ kind, handle, secret: next.secret, dates, tag })).toBe(known.nextToken)
  })
})

describe('a credential', () => {
  const noon = Date.UTC(2030, 0, 7, 12)
  const presented = (ends: { expiresAt: number; endsAt?: number }) => {
    const dates = datesOf(ends, binding)
    return { kind: 'refresh_token' as const, handle, secret, dates, tag: Buffer.alloc(16) }
  }

  it('is read only from a text of its own length and kind', () => {
    expect(parseCredential('refresh_token', known.nextToken)?.handle).toEqual(handle)
    const [prefix, body] = [known.nextToken.slice(0, 5), known.nextToken.slice(5)]
    for (const text of [`${prefix}A${body}`, `${prefix}${body}A`, prefix + body.slice(1), `csic_${body}`, body])
      expect(parseCredential('refresh_token', text)).toBeUndefined()
  })

  it('says when it expires, and whether its grant ends then', () => {
    const expiresAt = noon + 1000
    for (const endsAt of [undefined, expiresAt + 1, expiresAt]) {
      expect(readExpiry(presented({ expiresAt, ...(endsAt && { endsAt }) }))).toEqual({
        expiresAt,
        isEnd: endsAt === expiresAt,
      })
    }
  })
})

describe('a credential that is bound to a key', () => {
  const expiresAt = Date.UTC(2030, 0, 7, 12)
  const thumbprint = 'k'.repeat(43)
  const dated = (key: string | undefined, endsAt?: number) => {
    const dates = datesOf({ expiresAt, ...(endsAt && { endsAt }) }, { clientId: 'client', key })
    return { kind: 'refresh_token' as const, handle, secret, dates, tag: Buffer.alloc(16) }
  }

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
    const chain = new CredentialChain([Buffer.alloc(32, 3)])
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
  const chain = new CredentialChain([Buffer.alloc(32, 3)])
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
