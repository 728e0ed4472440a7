import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { proofAlgorithms, readProof } from '../../../src/protocol/dpop-proof'

const address = 'https://assistant.example/v1/acme/oauth/token'
const request = { method: 'POST', addresses: [address] }

const kinds: Record<string, () => { privateKey: KeyObject; publicKey: KeyObject }> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  Ed25519: () => generateKeyPairSync('ed25519'),
}

/** A proof that is signed by the algorithm. */
function proofOf(alg: string, claims: object = {}): { proof: string; jwk: object } {
  const pair = kinds[alg]?.()
  if (!pair) throw new Error(`There is no kind of key for ${alg}`)
  const jwk = pair.publicKey.export({ format: 'jwk' })
  const payload = { jti: randomUUID(), htm: 'POST', htu: address, iat: 1, ...claims }
  const input = [{ typ: 'dpop+jwt', alg, jwk }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const key = {
    key: pair.privateKey,
    dsaEncoding: 'ieee-p1363' as const,
    ...(alg === 'PS256' && { padding: 6, saltLength: 32 }),
  }
  const digest = alg.startsWith('Ed') ? null : alg === 'ES384' ? 'sha384' : 'sha256'
  return { proof: `${input}.${sign(digest, Buffer.from(input), key).toString('base64url')}`, jwk }
}

describe('a DPoP proof', () => {
  it.each([...proofAlgorithms])('is read that is signed with %s', (alg) => {
    const { proof } = proofOf(alg, { jti: 'one', iat: 7, nonce: 'n' })
    expect(readProof(proof, request)).toEqual({
      thumbprint: expect.stringMatching(/^[\w-]{43}$/),
      jti: 'one',
      iat: 7,
      nonce: 'n',
    })
  })

  it.each([
    'https://ASSISTANT.example/v1/acme/oauth/token',
    'https://assistant.example:443/v1/acme/oauth/token?a=b#c',
    'https://assistant.example/v1/../v1/acme/oauth/t%6Fken',
  ])('may name its address as %s', (htu) => {
    expect(readProof(proofOf('ES256', { htu }).proof, request).iat).toBe(1)
  })

  it.each([
    'https://assistant.example/v1/acme/oauth/token/',
    'https://assistant.example/v1/acme%2Foauth/token',
    'https://assistant.example.attacker.example/v1/acme/oauth/token',
    'https://assistant.example@attacker.example/v1/acme/oauth/token',
    'http://assistant.example/v1/acme/oauth/token',
    'null/v1/acme/oauth/token',
    'urn:assistant',
  ])('may not name it as %s', (htu) => {
    const detail = { asked: htu, accepted: [address] }
    const refused = expect.objectContaining({ message: expect.stringContaining('htu'), detail })
    expect(() => readProof(proofOf('ES256', { htu }).proof, request)).toThrow(refused)
  })

  it('is not read if it is longer than a header may be', () => {
    const padded = (length: number) => proofOf('ES256', { pad: 'a'.repeat(length) }).proof
    expect(readProof(padded(5000), request).iat).toBe(1)
    expect(() => readProof(padded(6000), request)).toThrow('must be one signed JWT')
  })

  // RFC 9449 section 4.1, with the thumbprint of section 6.1.
  it('has the thumbprint of the RFC', () => {
    const rfc =
      'eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwiaWF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg'
    const about = { method: 'POST', addresses: ['https://server.example.com/token'] }
    expect(readProof(rfc, about)).toEqual({
      thumbprint: '0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I',
      jti: '-BwC3ESc6acc2lTc',
      iat: 1_562_262_616,
      nonce: undefined,
    })
  })
})
