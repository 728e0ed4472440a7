import { randomBytes } from 'node:crypto'
import { newClientSecret } from 'customer-sign-in'
import { clientSecretBasic, isSecretOf } from '../../../src/client-authentication/client-secret-basic'
import { ConfigurationError } from '../../../src/configuration/configuration-error'

// Another program has computed the hash.
const known = { secret: `csis_${'A'.repeat(43)}`, hash: '6TW9S1DPPb0U5n2XQhpOFz0d5YIKFFrxVEaRinNeZ7Q' }

const { secretHashes } = clientSecretBasic.credentials

describe('the secret of a client', () => {
  it('has 256 random bits behind a prefix that secret scanners can find, and a hash that does not show them', () => {
    const made = Array.from({ length: 100 }, newClientSecret)
    for (const { secret, hash } of made) {
      expect(secret).toMatch(/^csis_[\w-]{43}$/)
      expect(Buffer.from(secret.slice(5), 'base64url')).toHaveLength(32)
      expect(secretHashes?.([hash], 'secretHashes')).toEqual([hash])
      expect(isSecretOf([hash], secret)).toBe(true)
    }
    expect(new Set(made.flatMap(({ secret, hash }) => [secret, hash])).size).toBe(200)
  })

  it('has the hash that it had before, because another one would lock every client out', () => {
    expect(isSecretOf([known.hash], known.secret)).toBe(true)
  })

  it('is recognised by any of the hashes, in any place', () => {
    const others = Array.from({ length: 2 }, () => newClientSecret().hash)
    for (const place of [0, 1, 2]) expect(isSecretOf(others.toSpliced(place, 0, known.hash), known.secret)).toBe(true)
    expect(isSecretOf(others, known.secret)).toBe(false)
    expect(isSecretOf([], known.secret)).toBe(false)
  })

  it.each([
    ['', ''],
    ['a hash', known.hash],
    ['a text before it', `x${known.secret}`],
    ['a line after it', `${known.secret}\n`],
    ['another prefix', known.secret.replace('csis_', 'csir_')],
    ['fewer bits', `csis_${randomBytes(16).toString('base64url')}`],
  ])('is no other text: %s', (_, text) => {
    expect(isSecretOf([known.hash], text)).toBe(false)
  })

  it.each([
    '',
    known.secret,
    `${known.hash}=`,
    known.hash.slice(1),
    `${known.hash}\n`,
    `x${known.hash}`,
    ' '.repeat(43),
  ])('has no hash like this: %j', (text) => {
    expect(() => secretHashes?.([text], 'secretHashes')).toThrow(ConfigurationError)
  })
})
