import crypto, { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import {
  hasKeyOf,
  isKeySetUrl,
  isSignedBy,
  keySetFault,
  keySetFaults,
  publicPart,
} from '../../../src/protocol/json-web-keys'
import { assertionOf, clientKey } from '../../support/confidential-clients'

const [malformed, secret, useless] = keySetFaults
const algorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'] as const
const keys = Object.fromEntries(algorithms.map((alg) => [alg, clientKey(alg, alg)]))
const jwkOf = (alg: string) => keys[alg]?.jwk as JsonWebKey
const jwsOf = (alg: string) => assertionOf(keys[alg] as never, 'app', 'issuer')

describe('a set of keys', () => {
  it.each(algorithms)('can have a key for %s', (alg) => {
    expect(keySetFault({ keys: [jwkOf(alg)] })).toBeUndefined()
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a text', '{"keys":[]}'],
    ['a list', [jwkOf('ES256')]],
    ['a key', jwkOf('ES256')],
    ['no keys', {}],
    ['an empty list', { keys: [] }],
    ['a text in place of keys', { keys: 'keys' }],
    ['null among its keys', { keys: [jwkOf('ES256'), null] }],
    ['a text among its keys', { keys: [jwkOf('ES256'), 'key'] }],
    ['21 keys', { keys: Array(21).fill(jwkOf('ES256')) }],
    ['more than 16 KiB', { keys: [jwkOf('ES256'), { kty: 'RSA', n: 'x'.repeat(16_384) }] }],
  ])('is not %s', (_, set) => {
    expect(keySetFault(set)).toBe(malformed)
  })

  it.each([2048, 4096])('can have an RSA key of %d bits', (bits) => {
    const n = Buffer.alloc(bits / 8, 0xff).toString('base64url')
    expect(keySetFault({ keys: [{ kty: 'RSA', e: 'AQAB', n }] })).toBeUndefined()
  })

  it('may say what each key is for, in a list of texts and nothing else', () => {
    expect(keySetFault({ keys: [{ ...jwkOf('ES256'), key_ops: ['verify'] }] })).toBeUndefined()
    for (const operations of [['verify', [[]]], [{}, 'verify'], {}]) {
      expect(keySetFault({ keys: [{ ...jwkOf('ES256'), key_ops: operations }] })).toBe(malformed)
    }
  })

  it('may have 20 keys, and other members of any size', () => {
    expect(keySetFault({ keys: Array(20).fill(jwkOf('ES256')) })).toBeUndefined()
    expect(keySetFault({ keys: [{ ...jwkOf('ES256'), x5c: ['x'.repeat(20_000)] }], more: 1 })).toBeUndefined()
    const sized = (n: string) => ({ keys: [jwkOf('ES256'), { kty: 'RSA', n }] })
    const room = 16_384 - JSON.stringify(sized('')).length
    expect(keySetFault(sized('x'.repeat(room)))).toBeUndefined()
    expect(keySetFault(sized('x'.repeat(room + 1)))).toBe(malformed)
  })

  it.each(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'])('has no key with the private member %s', (member) => {
    expect(keySetFault({ keys: [jwkOf('ES256'), { ...jwkOf('RS256'), [member]: 'x' }] })).toBe(secret)
  })

  it('is of no use without a key that can be used, and may have others beside one', () => {
    const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
    const curve = generateKeyPairSync('ec', { namedCurve: 'secp521r1' }).publicKey.export({ format: 'jwk' })
    const others = [
      short,
      curve,
      { kty: 'magic' },
      {},
      { ...jwkOf('ES256'), x: 'AA' },
      { ...jwkOf('ES256'), alg: 'ES384' },
    ]
    for (const other of others) expect(keySetFault({ keys: [other] })).toBe(useless)
    expect(keySetFault({ keys: [...others, jwkOf('ES256')] })).toBeUndefined()
  })

  it('is of no use, and takes no computing, if all of its keys are of kinds that nobody signs with here', () => {
    const curves = ['P-521', 'secp256k1'].map((namedCurve) => generateKeyPairSync('ec', { namedCurve }))
    const others = [...curves, generateKeyPairSync('ed448'), generateKeyPairSync('x25519')]
    const jwks = others.map(({ publicKey }) => publicKey.export({ format: 'jwk' }))
    const made = jest.spyOn(crypto, 'createPublicKey')
    expect(keySetFault({ keys: [...jwks, { ...jwkOf('ES256'), alg: 'ES512' }] })).toBe(useless)
    expect(made).not.toHaveBeenCalled()
    expect(keySetFault({ keys: [...jwks, jwkOf('ES256')] })).toBeUndefined()
    expect(made).toHaveBeenCalledTimes(1)
    made.mockRestore()
  })

  it('is kept with the members that are used, and no others', () => {
    expect(publicPart({ keys: [{ ...jwkOf('RS256'), alg: 'RS256', x5c: ['x'], ext: true }] })).toEqual({
      keys: [{ ...jwkOf('RS256'), alg: 'RS256' }],
    })
    const whole = { keys: algorithms.map((alg) => ({ ...jwkOf(alg), key_ops: ['verify'] })) }
    expect(publicPart(whole)).toEqual(whole)
  })

  it('may have null for what it does not say', () => {
    const jwk = { ...jwkOf('ES256'), kid: null, use: null, key_ops: null, n: null }
    expect(keySetFault({ keys: [jwk] })).toBeUndefined()
  })
})

describe('a signature', () => {
  const set = { keys: algorithms.map(jwkOf) }

  it.each(algorithms)('by %s is verified with its own key and no other', (alg) => {
    const jws = jwsOf(alg)
    expect(isSignedBy(jws, { alg, kid: alg }, set)).toBe(true)
    expect(isSignedBy(jws, { alg, kid: undefined }, set)).toBe(true)
    expect(hasKeyOf({ alg, kid: alg }, set)).toBe(true)
    for (const other of algorithms) {
      if (other === alg) continue
      expect(isSignedBy(jws, { alg, kid: other }, set)).toBe(false)
      expect(isSignedBy(jws, { alg: other, kid: alg }, set)).toBe(false)
    }
    expect(isSignedBy(jws.replace('.', '.x'), { alg, kid: alg }, set)).toBe(false)
    expect(isSignedBy(jws, { alg, kid: alg }, { keys: [{ ...clientKey(alg).jwk, kid: alg }] })).toBe(false)
  })

  it('by Ed25519 may be named so, or EdDSA', () => {
    const named = assertionOf(keys.EdDSA as never, 'app', 'issuer', { header: { alg: 'Ed25519' } })
    for (const alg of [undefined, 'EdDSA', 'Ed25519']) {
      const ofAlg = { keys: [{ ...jwkOf('EdDSA'), ...(alg && { alg }) }] }
      expect(isSignedBy(named, { alg: 'Ed25519', kid: 'EdDSA' }, ofAlg)).toBe(true)
      expect(isSignedBy(jwsOf('EdDSA'), { alg: 'EdDSA', kid: 'EdDSA' }, ofAlg)).toBe(true)
    }
  })

  it.each<[string, Partial<JsonWebKey>]>([
    ['for encryption', { use: 'enc' }],
    ['for signing alone', { key_ops: ['sign'] }],
    ['for another algorithm', { alg: 'PS256' }],
    ['of another name', { kid: 'other' }],
    ['without a name', { kid: undefined } as never],
  ])('is not verified with a key %s, if it names one', (_, change) => {
    const changed = { keys: [{ ...jwkOf('RS256'), ...change }] }
    expect(isSignedBy(jwsOf('RS256'), { alg: 'RS256', kid: 'RS256' }, changed)).toBe(false)
    expect(hasKeyOf({ alg: 'RS256', kid: 'RS256' }, changed)).toBe(false)
  })

  it.each<[string, Partial<JsonWebKey>]>([
    ['for signatures', { use: 'sig' }],
    ['for verifying', { key_ops: ['verify'] }],
    ['for its algorithm', { alg: 'RS256' }],
    ['for nothing in particular', { use: undefined } as never],
  ])('is verified with a key %s', (_, change) => {
    const changed = { keys: [{ ...jwkOf('RS256'), ...change }] }
    expect(isSignedBy(jwsOf('RS256'), { alg: 'RS256', kid: 'RS256' }, changed)).toBe(true)
    expect(hasKeyOf({ alg: 'RS256', kid: 'RS256' }, changed)).toBe(true)
  })

  it('is not looked for among keys of another kind', () => {
    expect(hasKeyOf({ alg: 'ES256', kid: 'RS256' }, set)).toBe(false)
    expect(hasKeyOf({ alg: 'ES256', kid: undefined }, { keys: [jwkOf('RS256')] })).toBe(false)
  })
})

describe('the address of keys', () => {
  it.each([
    'https://keys.example/jwks',
    'https://keys.example',
    'https://keys.example:8443/a?b=c',
    'https://[::1]/jwks',
  ])('may be %s', (address) => {
    expect(isKeySetUrl(address, { allowLoopback: false })).toBe(true)
  })

  it.each([
    '',
    'keys.example/jwks',
    'http://keys.example/jwks',
    'https:keys.example/jwks',
    'https://keys.example/ jwks',
    'https://user@keys.example/jwks',
    'https://user:password@keys.example/jwks',
    'https://keys.example/jwks#key',
    'file:///etc/passwd',
    'data:application/json,{}',
    'https://',
    `https://keys.example/${'x'.repeat(2048)}`,
  ])('is not %.60s', (address) => {
    expect(isKeySetUrl(address, { allowLoopback: true })).toBe(false)
  })

  it.each(['http://localhost:3000/jwks', 'http://127.0.0.1/jwks', 'http://[::1]:3000/jwks'])(
    'may be %s for development alone',
    (address) => {
      expect(isKeySetUrl(address, { allowLoopback: true })).toBe(true)
      expect(isKeySetUrl(address, { allowLoopback: false })).toBe(false)
    },
  )
})
