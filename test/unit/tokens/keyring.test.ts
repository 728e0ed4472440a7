import { createPublicKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { ConfigurationError } from 'customer-sign-in'
import { keyMembers } from '../../../src/tokens/keyring'
import { testSignIn } from '../../support/host-app'
import { signingKey } from '../../support/sign-in'

const { credentialSecrets } = keyMembers

describe('the option keys.credentialSecrets', () => {
  it.each([1, 4])('can have %d', (count) => {
    const given = Array.from({ length: count }, (_, index) => `${index} of the secrets that the tests have`)
    expect(credentialSecrets(given, 'keys.credentialSecrets')?.map(String)).toEqual(given)
  })

  it('can have text and bytes', () => {
    const [text, bytes] = [randomBytes(32).toString('base64'), randomBytes(32)]
    expect(credentialSecrets([text, bytes], 'keys.credentialSecrets')).toEqual([Buffer.from(text), bytes])
  })

  it('has at least 32 bytes, and eight different ones', () => {
    const accept = (given: unknown) => credentialSecrets([given as string], 'keys.credentialSecrets')
    const eight = 'abcdefgh'.repeat(4)
    for (const right of [eight, Buffer.from(eight)]) expect(accept(right)?.map(String)).toEqual([eight])
    for (const wrong of [eight.slice(1), Buffer.from(eight.slice(1)), new Uint8Array(32), 32, 'abcdefg'.repeat(5)])
      expect(() => accept(wrong)).toThrow('keys.credentialSecrets[0]')
  })

  const pem = String(
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }),
  )
  const publicJwk = createPublicKey(signingKey).export({ format: 'jwk' })
  const base64 = randomBytes(32).toString('base64')
  const guessable = 'has fewer than 8 different characters'
  const refused: [what: string, given: string | Buffer, says: string][] = [
    ['one character', 'x'.repeat(43), guessable],
    ['a short word again and again', 'secret'.repeat(8), guessable],
    ['zeros', Buffer.alloc(32), guessable],
    ...['REPLACE_ME_WITH_A_REAL_SECRET_IN_PRODUCTION', 'please-change-me-before-you-go-to-production'].map(placeholder),
    ...['your-credential-secret-of-at-least-32-bytes', 'Your secret here, of at least 32 bytes'].map(placeholder),
    ...['<the secret of customer-sign-in here>', `\${CUSTOMER_SIGN_IN_CREDENTIAL_SECRET}`].map(placeholder),
    ['the path of a file', '/run/secrets/sign-in/credential-secret', 'is the path of a file'],
    ['the path of a file here', './config/secrets/credential-secret.txt', 'is the path of a file'],
    ['a secret in quotation marks', `"${base64}"`, 'has quotation marks around it'],
    ['the same from a file', Buffer.from(`'${base64}'\n`), 'has quotation marks around it'],
    ['a signing key', pem, 'are the signing key and the secret swapped?'],
    ['a signing key in a Buffer', Buffer.from(pem), 'are the signing key and the secret swapped?'],
    ['a signing key in base64', Buffer.from(pem).toString('base64'), 'are the signing key and the secret swapped?'],
    ['a public key of I/jwks', JSON.stringify(publicJwk), 'are the signing key and the secret swapped?'],
    ['a part of one', String(publicJwk.x), 'is in the public key set'],
  ]

  function placeholder(text: string): [string, string, string] {
    return [text, text, 'is a placeholder']
  }

  it.each(refused)('is refused at start-up for %s, which is not quoted', (_, given, says) => {
    const start = () => testSignIn({ keys: { signing: [signingKey], credentialSecrets: [randomBytes(32), given] } })
    expect(start).toThrow(
      expect.objectContaining<Partial<ConfigurationError>>({
        name: 'ConfigurationError',
        option: 'keys.credentialSecrets[1]',
        problem: expect.stringContaining(says),
        message: expect.not.stringContaining(String(given).slice(0, 32)),
      }),
    )
  })

  it('is never refused for what is random', () => {
    const printable = (bytes: Buffer) => String.fromCharCode(...bytes.map((byte) => 33 + (byte % 94)))
    for (let round = 0; round < 500; round++) {
      const bytes = randomBytes(33)
      const forms = ['hex', 'base64', 'base64url'].map((form) => bytes.toString(form as BufferEncoding))
      for (const given of [bytes, ...forms, printable(bytes), randomUUID()]) credentialSecrets([given], 'secrets')
    }
  })
})
