import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { ConfigurationError, type SigningKeyInput } from 'customer-sign-in'
import { testSignIn } from '../../support/host-app'
import { signingKey } from '../../support/sign-in'

const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey
const pkcs8 = { format: 'pem', type: 'pkcs8' } as const
const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const jwk = signingKey.export({ format: 'jwk' })

const unusable: [string, unknown][] = [
  ['a public key', publicKey],
  ['a public key as PEM', publicKey.export({ format: 'pem', type: 'spki' })],
  ['a public JWK', publicKey.export({ format: 'jwk' })],
  ['a secret', randomBytes(32).toString('base64')],
  ['a secret as a JWK', { kty: 'oct', k: randomBytes(32).toString('base64url') }],
  ['an encrypted PEM', signingKey.export({ ...pkcs8, cipher: 'aes-256-cbc', passphrase: 'secret' })],
  ['a P-521 key', ec('P-521')],
  ['a secp256k1 key', ec('secp256k1')],
  ['an Ed25519 key', generateKeyPairSync('ed25519').privateKey],
  ['an RSA key of 1024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey],
  ['an RSA-PSS key', generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).privateKey],
  ['a JWK for another algorithm', { ...jwk, alg: 'RS256' }],
  ['a JWK for an algorithm that there is not', { ...jwk, alg: 'none' }],
  ['a JWK whose parts are of two keys', { ...jwk, x: ec('P-256').export({ format: 'jwk' }).x }],
  ['text', 'not a key'],
  ['a number', 5],
  ['nothing', null],
]

/** The error with which the server refuses the keys at start-up. */
function refusalOf(signingKeys: unknown): ConfigurationError {
  try {
    testSignIn({ baseUrl: 'https://assistant.example', keys: { signing: signingKeys as SigningKeyInput[] } })
  } catch (error) {
    if (error instanceof ConfigurationError) return error
    throw error
  }
  throw new Error('The keys were accepted')
}

describe('at start-up', () => {
  it.each(unusable)('%s is refused as a signing key, with its place in the list', (_what, key) => {
    expect(refusalOf([key]).option).toBe('keys.signing[0]')
    expect(refusalOf([signingKey, key]).option).toBe('keys.signing[1]')
  })

  it('an empty list of signing keys is refused', () => {
    expect(refusalOf([]).option).toBe('keys.signing')
  })

  it('a key that is listed twice is refused, in the same format or another', () => {
    expect(refusalOf([signingKey, signingKey.export(pkcs8)]).option).toBe('keys.signing')
  })

  it('no error quotes a key', () => {
    const cut = String(signingKey.export(pkcs8)).slice(0, -60)
    for (const key of [cut, { ...jwk, alg: 'RS256' }, `${jwk.d}`]) {
      const { message, stack, cause } = refusalOf([key])
      const told = JSON.stringify({ message, stack, cause })
      expect(told).not.toContain(jwk.d)
      expect(told).not.toContain(cut.split('\n')[1])
    }
  })
})
