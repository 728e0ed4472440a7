import { generateKeyPairSync } from 'node:crypto'
import { OAuthError } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../support/clock'
import {
  forgedText,
  forgedToken,
  readToken,
  tokenByAlgorithm,
  tokenUnderPublicKey,
  unsignedToken,
} from '../../support/forged-token'
import { clientId, TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url')
const plausibleHeader = encoded({ alg: 'ES256', typ: 'at+jwt', kid: 'any' })

describe('an access token', () => {
  let host: TestSignIn
  let genuine: string
  beforeAll(async () => {
    host = await TestSignIn.start()
    genuine = (await host.connected()).access_token
  })
  afterAll(() => host.stop())

  const verify = (token: string) => host.signIn.verifyAccessToken(token, { tenantKey: 'acme' })

  async function expectRefused(token: string): Promise<void> {
    for (const tenant of [{ tenantKey: 'acme' }, { anyTenant: true }] as const) {
      const refusal = await host.signIn.verifyAccessToken(token, tenant).catch((error) => error)
      expect(refusal).toBeInstanceOf(OAuthError)
      expect(refusal).toMatchObject({ code: 'invalid_token', status: 401 })
    }
  }

  it('is accepted as it was issued', async () => {
    await verify(genuine)
    await verify(forgedToken(genuine, {}))
  })

  it('is refused without a signature', async () => {
    await expectRefused(unsignedToken(genuine))
    await expectRefused(unsignedToken(genuine, { header: { kid: undefined } }))
    await expectRefused(genuine.replace(/\.[^.]+$/, '.'))
  })

  it('is refused when the public key was used as the secret of an HMAC', async () => {
    await expectRefused(tokenUnderPublicKey(genuine))
  })

  it.each(['RS256', 'PS256'])(
    'is refused when our own RSA key has signed it, but not with that key’s algorithm, %s',
    async (alg) => {
      const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
      const other = await started({ keys: { signing: [{ ...rsa.export({ format: 'jwk' }), alg }] } })
      const { access_token } = await other.connected()
      const inAcme = { tenantKey: 'acme' }
      await other.signIn.verifyAccessToken(tokenByAlgorithm(access_token, alg, rsa), inAcme)
      for (const another of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'].filter((name) => name !== alg)) {
        const verifying = other.signIn.verifyAccessToken(tokenByAlgorithm(access_token, another, rsa), inAcme)
        await expect(verifying).rejects.toMatchObject({ code: 'invalid_token', status: 401 })
      }
    },
  )

  it('is refused when it was signed with another key, even under the name of ours', async () => {
    await expectRefused(forgedToken(genuine, {}, otherKey))
    await expectRefused(forgedToken(genuine, { header: { kid: 'other' } }, otherKey))
    await expectRefused(forgedToken(genuine, { header: { kid: undefined } }, otherKey))
  })

  it('is refused as a foreign token if its key is not ours, and as expired if only its time is over', async () => {
    const reasonOf = (token: string) => verify(token).catch(({ reason }) => reason)
    expect(await reasonOf(forgedToken(genuine, {}, otherKey))).toBe('unknown_token')
    expect(await reasonOf(forgedToken(genuine, { header: { kid: 'other' } }, otherKey))).toBe('unknown_token')
    expect(await reasonOf(forgedToken(genuine, { payload: { exp: 1 } }))).toBe('token_expired')
  })

  it('is refused when it brings its own key', async () => {
    const jwk = otherKey.export({ format: 'jwk' })
    await expectRefused(forgedToken(genuine, { header: { jwk, kid: undefined } }, otherKey))
    await expectRefused(forgedToken(genuine, { header: { jwk } }, otherKey))
  })

  it('is refused when a part of it was changed', async () => {
    const [header = '', payload = '', signature = ''] = genuine.split('.')
    const { payload: claims } = readToken(genuine)
    await expectRefused([header, encoded({ ...claims, sub: 'customer-2' }), signature].join('.'))
    await expectRefused([header, payload, signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))].join('.'))
  })

  it('is refused when it is another kind of token under the same key', async () => {
    await expectRefused(forgedToken(genuine, { header: { typ: 'JWT' } }))
    await expectRefused(forgedToken(genuine, { header: { typ: undefined } }))
    await expectRefused(
      forgedToken(genuine, { header: { typ: 'JWT' }, payload: { aud: clientId, nonce: 'n', client_id: undefined } }),
    )
  })

  it.each(['iss', 'sub', 'aud', 'scope', 'client_id', 'grant_id', 'tenant_id', 'exp'])(
    'is refused when it has no %s under the same key, and says no more than another server’s',
    async (claim) => {
      const refusal = await verify(forgedToken(genuine, { payload: { [claim]: undefined } })).catch((error) => error)
      expect(refusal).toMatchObject({
        code: 'invalid_token',
        reason: 'unknown_token',
        description: 'This server did not issue the access token',
      })
    },
  )

  it('is refused when it is for another issuer under the same key', async () => {
    await expectRefused(forgedToken(genuine, { payload: { iss: 'https://other.example/v1/acme/oauth' } }))
    await expectRefused(forgedToken(genuine, { payload: { iss: undefined } }))
  })

  it('is refused when it is for another tenant id, or none, under the same key', async () => {
    await expectRefused(forgedToken(genuine, { payload: { tenant_id: 'acme-before' } }))
    await expectRefused(forgedToken(genuine, { payload: { tenant_id: undefined } }))
  })

  it('is refused when it is for another resource, several, or none, under the same key', async () => {
    await expectRefused(forgedToken(genuine, { payload: { aud: 'https://other.example' } }))
    await expectRefused(forgedToken(genuine, { payload: { aud: [host.issuer(), 'https://other.example'] } }))
    await expectRefused(forgedToken(genuine, { payload: { aud: undefined } }))
  })

  it('is refused when it has no expiry', async () => {
    await expectRefused(forgedToken(genuine, { payload: { exp: undefined } }))
  })

  it('is refused from the millisecond in which it expires', async () => {
    const clock = stopClock()
    try {
      const { access_token } = await host.connected()
      const expiry = Number(readToken(access_token).payload.exp) * 1000
      clock.advance((expiry - 1 - clock.now()) / 1000)
      await verify(access_token)
      clock.advance(0.001)
      expect(clock.now()).toBe(expiry)
      await expectRefused(access_token)
    } finally {
      releaseClock()
    }
  })

  it('is refused where it does not belong and when it was changed, even if it was accepted before', async () => {
    const { access_token } = await host.connected()
    await verify(access_token)
    await expectRefused(access_token.replace(/[^.]$/, ''))
    await expectRefused(`${access_token}A`)
    await expect(host.signIn.verifyAccessToken(access_token, { tenantKey: 'globex' })).rejects.toMatchObject({
      reason: 'wrong_tenant',
    })
    const elsewhere = { tenantKey: 'acme', resource: 'https://other.example/mcp' }
    await expect(host.signIn.verifyAccessToken(access_token, elsewhere)).rejects.toMatchObject({
      reason: 'wrong_resource',
    })
  })

  it('says the same each time, whatever the host did with its claims', async () => {
    const { access_token } = await host.connected()
    const { claims } = await verify(access_token)
    Object.assign(claims, { sub: 'customer-2', tenant_id: 'globex', exp: 1 })
    expect(await verify(access_token)).toMatchObject({
      subject: readToken(access_token).payload.sub,
      tenantKey: 'acme',
    })
  })

  it.each(['hello', 'null', '[]'])('is refused each time when it says only %s under the same key', async (text) => {
    const token = forgedText(genuine, text)
    for (let times = 0; times < 2; times++) await expectRefused(token)
  })

  it.each([
    ['nothing', ''],
    ['two dots', '..'],
    ['three parts that are no JSON', 'a.b.c'],
    ['not ASCII', 'é'],
    ['a refresh token', `csir_${'x'.repeat(84)}`],
    ['100 KB long', `${'x'.repeat(100_000)}.y.z`],
    ['null inside', [plausibleHeader, encoded(null), 'z'].join('.')],
    ['a list inside', [plausibleHeader, encoded([]), 'z'].join('.')],
    ['headed by null', [encoded(null), encoded({}), 'z'].join('.')],
    ['a JWT without JSON', [encoded({ alg: 'ES256', typ: 'JWT' }), 'eA', 'z'].join('.')],
    ['of an issuer that is no text', [plausibleHeader, encoded({ iss: 1 }), 'z'].join('.')],
  ])('is refused without a crash when it is %s', async (_what, token) => {
    await expectRefused(token)
  })
})
