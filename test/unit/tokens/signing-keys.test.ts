import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import type { SigningAlgorithm, SigningKeyInput } from 'customer-sign-in'
import { loadSigningKeys, privatePart } from '../../../src/tokens/signing-keys'
import { readToken } from '../../support/forged-token'
import { rfc7638Key, rfc7638Thumbprint } from '../../support/rfc-7638-key'
import { started } from '../../support/started'

const loaded = import('oauth4webapi')

const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

const pem = (key: KeyObject, type: 'pkcs8' | 'sec1' | 'pkcs1') => String(key.export({ format: 'pem', type }))
const jwk = (key: KeyObject) => key.export({ format: 'jwk' })

const formats: [string, SigningKeyInput, SigningAlgorithm][] = [
  ['P-256 as a KeyObject', p256, 'ES256'],
  ['P-256 as PEM (PKCS #8)', pem(p256, 'pkcs8'), 'ES256'],
  ['P-256 as PEM (SEC 1)', pem(p256, 'sec1'), 'ES256'],
  ['P-256 as PEM in a Buffer', Buffer.from(pem(p256, 'pkcs8')), 'ES256'],
  ['P-256 as a JWK', jwk(p256), 'ES256'],
  ['P-256 as a JWK with members of its own', { ...jwk(p256), alg: 'ES256', use: 'sig', kid: 'mine' }, 'ES256'],
  ['P-384 as PEM', pem(p384, 'pkcs8'), 'ES384'],
  ['P-384 as a JWK', jwk(p384), 'ES384'],
  ['RSA as a KeyObject', rsa, 'RS256'],
  ['RSA as PEM (PKCS #8)', pem(rsa, 'pkcs8'), 'RS256'],
  ['RSA as PEM (PKCS #1)', pem(rsa, 'pkcs1'), 'RS256'],
  ['RSA as a JWK', jwk(rsa), 'RS256'],
  ['RSA as a JWK for PS256', { ...jwk(rsa), alg: 'PS256' }, 'PS256'],
]

describe('access tokens signed with', () => {
  it.each(formats)(
    '%s are verified elsewhere by the metadata alone (RFC 9068 section 4)',
    async (_, key, algorithm) => {
      const oauth = await loaded
      const insecure = { [oauth.allowInsecureRequests]: true }
      const host = await started({ keys: { signing: [key] } })
      const issuer = new URL(host.issuer())
      const discovery = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure })
      const server = await oauth.processDiscoveryResponse(issuer, discovery)

      const { access_token } = await host.connected()
      const call = new Request('https://api.example', { headers: { Authorization: `Bearer ${access_token}` } })
      const claims = await oauth.validateJwtAccessToken(server, call, host.issuer(), insecure)
      expect(claims).toMatchObject({ sub: 'customer-1', client_id: 'assistant-app', scope: 'profile calendar' })
      expect(readToken(access_token).header).toEqual({ alg: algorithm, typ: 'at+jwt', kid: expect.any(String) })
    },
  )
})

describe('a signing key', () => {
  it('is named by its thumbprint (RFC 7638 section 3.1), whatever name it had', async () => {
    const host = await started({ keys: { signing: [{ ...rfc7638Key, kid: 'another name' }] } })
    const { access_token } = await host.connected()
    expect(readToken(access_token).header.kid).toBe(rfc7638Thumbprint)
  })

  it('gives the same secrets in every format, and in every version', () => {
    const secretOf = (input: SigningKeyInput) => privatePart(loadSigningKeys([input], 1000)[0])
    const [fromJwk, fromPem] = [secretOf(jwk(p256)), secretOf(pem(p256, 'sec1'))]
    expect(fromJwk).toEqual(Buffer.from(String(jwk(p256).d), 'base64url'))
    expect(fromPem).toEqual(fromJwk)
  })

  it('can be PEM as environment variables and files have it: in base64, on one line, or with text around it', () => {
    const text = pem(p256, 'pkcs8')
    const shapes = [Buffer.from(text).toString('base64'), text.replaceAll('\n', '\\n'), `Of 2026:\n${text}The end.\n`]
    const [right] = loadSigningKeys([p256], 1000)
    for (const shape of shapes) expect(loadSigningKeys([shape], 1000)[0].kid).toBe(right.kid)
  })

  it('is said to be a secret if it is one, with a line break at its end or without', () => {
    const secret = randomBytes(32).toString('base64')
    const saysOf = (input: string) => {
      try {
        loadSigningKeys([input], 1000)
      } catch (error) {
        return String(error)
      }
    }
    for (const given of [secret, `${secret}\n`, `${secret}\r\n`])
      expect(saysOf(given)).toContain('is a credential secret: are the signing key and the secret swapped?')
    for (const given of [secret.slice(1), 'no key']) expect(saysOf(given)).not.toContain('secret')
  })

  it('can have three others beside it, and no more', () => {
    const keys = Array.from({ length: 5 }, () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
    expect(loadSigningKeys(keys.slice(1), 1000)).toHaveLength(4)
    expect(() => loadSigningKeys(keys, 1000)).toThrow('1 to 4 private keys')
  })
})
