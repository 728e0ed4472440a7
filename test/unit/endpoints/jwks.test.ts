import { createHash, createPublicKey, generateKeyPairSync, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import type { SigningKeyInput } from 'customer-sign-in'
import request from 'supertest'
import type { TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

type PublishedKey = JsonWebKey & { kid: string; alg: string; use: string }

async function publishedKeys(host: TestSignIn, tenantKey = 'acme'): Promise<PublishedKey[]> {
  const { status, body } = await request(host.issuer(tenantKey)).get('/jwks')
  expect(status).toBe(200)
  return body.keys
}

/** RFC 7638 section 3, written out from its text. */
function thumbprint({ kty, crv, x, y, n, e }: JsonWebKey): string {
  const text =
    kty === 'EC' ? `{"crv":"${crv}","kty":"EC","x":"${x}","y":"${y}"}` : `{"e":"${e}","kty":"RSA","n":"${n}"}`
  return createHash('sha256').update(text).digest('base64url')
}

/** RFC 7515 section 5.2 with the algorithms of RFC 7518 section 3, without a JWT library. */
function signatureVerifies(jwt: string, jwk: PublishedKey): boolean {
  const [header = '', payload = '', signature = ''] = jwt.split('.')
  const options = {
    ES256: { dsaEncoding: 'ieee-p1363' as const },
    ES384: { dsaEncoding: 'ieee-p1363' as const },
    RS256: {},
    PS256: { padding: 6, saltLength: 32 },
  }[jwk.alg]
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), ...options }
  const digest = jwk.alg === 'ES384' ? 'sha384' : 'sha256'
  return verify(digest, Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))
}

const jwk = (key: KeyObject, alg?: string) => ({ ...key.export({ format: 'jwk' }), ...(alg && { alg }) })

describe('the key set', () => {
  it.each<[string, string, SigningKeyInput]>([
    ['ES256', 'a KeyObject', p256],
    ['ES256', 'PEM', p256.export({ format: 'pem', type: 'pkcs8' })],
    ['ES384', 'a JWK', jwk(p384)],
    ['ES384', 'PEM in a Buffer', Buffer.from(p384.export({ format: 'pem', type: 'sec1' }))],
    ['RS256', 'PEM', rsa.export({ format: 'pem', type: 'pkcs1' })],
    ['RS256', 'a KeyObject', rsa],
    ['PS256', 'a JWK', jwk(rsa, 'PS256')],
  ])('verifies the access tokens of a %s key given as %s', async (algorithm, _, key) => {
    const host = await started({ keys: { signing: [key] } })
    const [published, ...others] = await publishedKeys(host)
    if (!published) throw new Error('The key set is empty')
    expect([published.alg, published.use, others]).toEqual([algorithm, 'sig', []])
    const { access_token } = await host.connected()
    expect(signatureVerifies(access_token, published)).toBe(true)
    await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
  })

  it.each([
    ['an elliptic curve', p256, ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']],
    ['RSA', rsa, ['alg', 'e', 'kid', 'kty', 'n', 'use']],
  ])('shows only the public members of a key of %s', async (_, key, members) => {
    const [published] = await publishedKeys(await started({ keys: { signing: [jwk(key)] } }))
    expect(Object.keys(published ?? {}).sort()).toEqual(members)
  })

  it.each([
    ['P-256', p256],
    ['P-384', p384],
    ['RSA', rsa],
  ])('names a %s key by its RFC 7638 thumbprint', async (_, key) => {
    const [published] = await publishedKeys(await started({ keys: { signing: [key] } }))
    expect(published?.kid).toBe(thumbprint(createPublicKey(key).export({ format: 'jwk' })))
  })

  it('has every key: the first signs, and all verify', async () => {
    const before = await started({ keys: { signing: [rsa] } })
    const { access_token } = await before.connected()
    const [oldKey] = await publishedKeys(before)

    const after = await started({ keys: { signing: [p256, rsa] }, baseUrl: before.url })
    const keys = await publishedKeys(after)
    expect(keys.map(({ alg }) => alg)).toEqual(['ES256', 'RS256'])
    expect(keys[1]).toEqual(oldKey)
    const next = await after.connected()
    expect(keys.map((key) => key.alg === 'ES256' && signatureVerifies(next.access_token, key))).toEqual([true, false])
    for (const token of [access_token, next.access_token]) {
      await after.signIn.verifyAccessToken(token, { tenantKey: 'acme' })
    }
  })

  it('is the same for every company, and can be cached', async () => {
    const host = await started()
    expect(await publishedKeys(host, 'globex')).toEqual(await publishedKeys(host, 'acme'))
    const { headers } = await request(host.issuer()).get('/jwks')
    expect(headers['cache-control']).toMatch(/^public, max-age=\d+$/)
    const again = await request(host.issuer())
      .get('/jwks')
      .set('If-None-Match', headers.etag ?? '')
    expect(again.status).toBe(304)
  })
})
