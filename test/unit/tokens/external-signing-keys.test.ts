import { constants, generateKeyPairSync, sign } from 'node:crypto'
import {
  ConfigurationError,
  type ExternalSigningKey,
  MemoryTokenStore,
  OAuthError,
  type SigningAlgorithm,
} from 'customer-sign-in'
import { releaseClock, stopClock } from '../../support/clock'
import { readToken } from '../../support/forged-token'
import { testSignIn } from '../../support/host-app'
import { kinds, liveCredential } from '../../support/redemptions'
import { expectError, expectTokens, signingKey } from '../../support/sign-in'
import { SkewedClocks } from '../../support/skewed-clocks'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const inAcme = { tenantKey: 'acme' }
const credentialSecrets = ['0123456789'.repeat(4)]
const strict = { refreshRetryWindow: 0, replayTolerance: 0, keys: { credentialSecrets } }

afterEach(releaseClock)

const rsa2048 = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }

it.each<[string, SigningAlgorithm, ExternalSigningKey]>([
  [
    'the bytes of r and s of a P-384 key',
    'ES384',
    {
      publicKey: p384.publicKey,
      sign: (data) => sign('sha384', data, { key: p384.privateKey, dsaEncoding: 'ieee-p1363' }),
    },
  ],
  [
    'DER of a P-384 key',
    'ES384',
    { publicKey: p384.publicKey, sign: async (data) => sign('sha384', data, p384.privateKey) },
  ],
  [
    'the signature of an RSA key',
    'RS256',
    { publicKey: rsa2048.publicKey, sign: (data) => sign('sha256', data, rsa2048.privateKey) },
  ],
  [
    'the PSS signature of an RSA key',
    'PS256',
    {
      publicKey: rsa2048.publicKey,
      alg: 'PS256',
      sign: (data) => sign('sha256', data, { key: rsa2048.privateKey, ...pss }),
    },
  ],
])('a signer can return %s', async (_, alg, key) => {
  const host = await started(strict, { keys: { signing: [key] } })
  const { access_token } = await host.connected()
  expect(readToken(access_token).header).toMatchObject({ alg, typ: 'at+jwt' })
  await host.signIn.verifyAccessToken(access_token, inAcme)
})

describe('a signer', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const raw = (data: Uint8Array) => sign('sha256', data, { key: privateKey, dsaEncoding: 'ieee-p1363' })

  /** A server whose key signs as this says. */
  const signingBy = (by: ExternalSigningKey['sign'], options = {}) =>
    started(strict, { keys: { signing: [{ publicKey, sign: by }] } }, options)

  it('gets the bytes that the signature covers, and the name of the key', async () => {
    const given: [Uint8Array, string][] = []
    const host = await signingBy((...args) => {
      given.push(args)
      return raw(args[0])
    })
    const { access_token } = await host.connected()
    const { header } = readToken(access_token)
    expect(given).toEqual([[Buffer.from(access_token.split('.').slice(0, 2).join('.')), header.kid]])
  })

  it('can have a name of the host’s own for its key', async () => {
    const host = await started(strict, { keys: { signing: [{ publicKey, kid: 'key 1 of 2027', sign: raw }] } })
    const { access_token } = await host.connected()
    expect(readToken(access_token).header.kid).toBe('key 1 of 2027')
    await host.signIn.verifyAccessToken(access_token, inAcme)
  })

  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const faults: [string, ExternalSigningKey['sign'], string][] = [
    [
      'throws',
      () => {
        throw new Error('The key is off')
      },
      'The key is off',
    ],
    ['rejects', () => Promise.reject(new Error('The key is off')), 'The key is off'],
    ['hangs', () => new Promise(() => {}), 'keys.signing.sign took longer than 100 ms'],
    ['signs with another key', async (data) => sign('sha256', data, other), 'does not verify with ES256'],
    ['returns a string', (() => 'c2lnbmF0dXJl') as never, 'must return the signature as a Uint8Array'],
  ]

  describe.each(kinds)('for a %s', (kind) => {
    it.each(faults)('that %s uses nothing up, and the operator learns why', async (_, faulty, message) => {
      let by: ExternalSigningKey['sign'] = raw
      const host = await signingBy((...args) => by(...args), { hostTimeout: 0.1 })
      const redeem = await liveCredential[kind](host)
      by = faulty
      expectError(await redeem(), 503, 'temporarily_unavailable')
      expect(await host.told('error')).toEqual([
        expect.objectContaining({
          where: 'token',
          reason: 'signer_failed',
          clientId: 'assistant-app',
          subject: 'customer-1',
          error: expect.objectContaining({ message: expect.stringContaining(message) }),
        }),
      ])
      by = raw
      const { refresh_token } = expectTokens(await redeem())
      expectTokens(await host.refresh(refresh_token))
    })
  })

  it.each([
    ['', {}, 3600],
    [', also if the refresh token lives shorter than the access token', { lifetimes: { refreshToken: 60 } }, 60],
    [', also if the grant does', { lifetimes: { grant: 90 } }, 90],
  ])('is asked for one signature in each redemption%s', async (_, options, lifetime) => {
    const clock = stopClock()
    let calls = 0
    const counting: ExternalSigningKey['sign'] = (data) => {
      calls++
      return raw(data)
    }
    const host = await signingBy(counting, options)
    clock.advance(0.5)
    const { refresh_token, expires_in } = await host.connected()
    expect({ calls, expires_in }).toEqual({ calls: 1, expires_in: lifetime })
    expect(expectTokens(await host.refresh(refresh_token)).expires_in).toBe(lifetime)
    expect(calls).toBe(2)
  })

  it('can sign a token that is not valid yet', async () => {
    const nbf = Math.ceil(Date.now() / 1000) + 100
    const host = await signingBy(raw, { accessTokenClaims: () => ({ nbf }) })
    expect(readToken((await host.connected()).access_token).payload).toMatchObject({ nbf })
  })

  it.each([
    ['nothing', undefined],
    ['a string', 'c2lnbmF0dXJl'],
    ['no bytes', new Uint8Array()],
    ['too few bytes', new Uint8Array(10)],
    ['too many bytes', new Uint8Array(200).fill(1)],
    ['DER whose lengths are wrong', Uint8Array.of(0x30, 0x06, 0x02, 0x7f, 0x01, 0x02, 0x01, 0x01)],
  ])('that returns %s fails', async (_, signature) => {
    let answer: unknown
    const host = await signingBy((data) => (answer === undefined ? raw(data) : (answer as never)))
    const { refresh_token } = await host.connected()
    answer = signature ?? null
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    answer = undefined
    expectTokens(await host.refresh(refresh_token))
  })

  it('can return r and s that need fewer bytes than usual in DER, or one more', async () => {
    const host = await signingBy((data) => sign('sha256', data, { key: privateKey, dsaEncoding: 'der' }))
    // About every other r and s has a zero in front, and one in 256 is shorter.
    for (let times = 0; times < 40; times++) await host.signIn.setKeys({ signing: [{ publicKey, sign: shortest }] })
    expectTokens(await host.refresh((await host.connected()).refresh_token))
  })

  /** Signs until r or s is short. */
  function shortest(data: Uint8Array): Uint8Array {
    for (;;) {
      const signature = sign('sha256', data, { key: privateKey, dsaEncoding: 'der' })
      if (signature.length < 70) return signature
    }
  }

  it('that refuses with an OAuthError uses nothing up either', async () => {
    let refuses = false
    const host = await signingBy((data) => {
      if (refuses) throw new OAuthError('too_many_requests', 'Slow down')
      return raw(data)
    })
    const { refresh_token } = await host.connected()
    refuses = true
    expectError(await host.refresh(refresh_token), 429, 'too_many_requests')
    expect(await host.told('denied')).toEqual([expect.objectContaining({ reason: 'signer_refused' })])
    refuses = false
    expectTokens(await host.refresh(refresh_token))
  })

  it('that fails is asked before anything is redeemed', async () => {
    const redeemed: string[] = []
    const tokenStore = wrapStore(new MemoryTokenStore(), ({ method, apply }) => {
      if (method === 'swapCredential') redeemed.push(method)
      return apply()
    })
    let fails = false
    const failing = (data: Uint8Array) => {
      if (fails) throw new Error('The signer is out of reach')
      return raw(data)
    }
    const host = await signingBy(failing, { tokenStore })
    const { refresh_token } = await host.connected()
    fails = true
    const before = redeemed.length
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    expect(redeemed).toHaveLength(before)
  })

  it('signs what the client and the hook ask for', async () => {
    const host = await signingBy(raw, { accessTokenClaims: () => ({ plan: 'gold' }) })
    const { refresh_token } = await host.connected({ scopes: 'profile calendar' })
    const { access_token, scope } = expectTokens(await host.refresh(refresh_token, { scope: 'calendar' }))
    expect(scope).toBe('calendar')
    expect(readToken(access_token).payload).toMatchObject({ plan: 'gold', scope: 'calendar' })
  })

  it('never makes an access token that outlives its grant', async () => {
    const clock = new SkewedClocks(0)
    try {
      const host = await signingBy(raw, { lifetimes: { grant: 100 }, tokenStore: clock.keep(new MemoryTokenStore()) })
      clock.believe(0)
      const { refresh_token, expires_in } = await host.connected()
      expect(expires_in).toBe(100)
      clock.advance(30)
      expect(expectTokens(await host.refresh(refresh_token)).expires_in).toBe(70)
    } finally {
      clock.release()
    }
  })

  it.each([
    ['50 s behind', 50],
    ['50 s ahead of', -50],
    ['as far ahead of as the grant lives', -100],
    ['150 s ahead of', -150],
  ])('makes no token that outlives its grant if the process’s clock is %s the store’s', async (_, ahead) => {
    const clock = new SkewedClocks(ahead)
    try {
      const host = await signingBy(raw, { lifetimes: { grant: 100 }, tokenStore: clock.keep(new MemoryTokenStore()) })
      clock.believe(0)
      const { refresh_token } = await host.connected()
      const { expires_in, access_token } = expectTokens(await host.refresh(refresh_token))
      expect(expires_in).toBeGreaterThan(0)
      expect(expires_in).toBeLessThanOrEqual(100)
      const { exp = 0 } = readToken(access_token).payload as { exp?: number }
      expect(exp).toBe(Math.floor(Date.now() / 1000) + expires_in)
    } finally {
      clock.release()
    }
  })

  it('makes no token that outlives its grant in a process that has not heard the store’s time', async () => {
    const clock = new SkewedClocks(50)
    try {
      const tokenStore = clock.keep(new MemoryTokenStore())
      const options = { lifetimes: { grant: 100 }, tokenStore, baseUrl: 'https://assistant.example' }
      const host = await signingBy(raw, options)
      clock.believe(0)
      const { refresh_token } = await host.connected()
      const other = await signingBy(raw, options)
      expect(expectTokens(await other.refresh(refresh_token)).expires_in).toBe(100)
    } finally {
      clock.release()
    }
  })

  it('makes a token that can be used, also in the last second of the refresh token', async () => {
    const clock = stopClock()
    const host = await signingBy(raw, { lifetimes: { refreshToken: 600, accessToken: 300 } })
    const { refresh_token } = await host.connected()
    clock.advance(599.5)
    expect(expectTokens(await host.refresh(refresh_token)).expires_in).toBe(300)
  })

  it('makes no token that outlives a refresh token that is new, and stays', async () => {
    const clock = stopClock()
    const host = await signingBy(raw, { refreshRetryWindow: 60, lifetimes: { refreshToken: 60 } })
    const { refresh_token } = await host.connected()
    const second = expectTokens(await host.refresh(refresh_token))
    clock.advance(5)
    const again = expectTokens(await host.refresh(second.refresh_token))
    expect(again).toMatchObject({ refresh_token: second.refresh_token, expires_in: 55 })
  })
})

describe('a key with a signer', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).publicKey
  const ed25519 = generateKeyPairSync('ed25519').publicKey
  const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength }).publicKey
  const rsaPss = generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey
  const good = { publicKey, sign: () => new Uint8Array() }

  it('is accepted in every format of its public key', () => {
    const spki = publicKey.export({ format: 'pem', type: 'spki' })
    for (const given of [publicKey, spki, Buffer.from(spki), publicKey.export({ format: 'jwk' }), privateKey]) {
      testSignIn({ keys: { signing: [{ ...good, publicKey: given }], credentialSecrets } })
    }
  })

  it('verifies tokens also where its whole key was given as the public one', async () => {
    const whole = { publicKey: privateKey, sign: (data: Uint8Array) => sign('sha256', data, privateKey) }
    const host = await started({ keys: { signing: [whole], credentialSecrets } })
    const { access_token } = await host.connected()
    expect(await host.signIn.verifyAccessToken(access_token, inAcme)).toMatchObject({ subject: 'customer-1' })
  })

  it('is refused in words that say what is allowed', () => {
    const start = (given: object) => () =>
      testSignIn({ keys: { signing: [{ ...good, ...given } as ExternalSigningKey], credentialSecrets } })
    expect(start({ alg: 'EdDSA' })).toThrow('keys.signing[0].alg must be ES256, ES384, RS256 or PS256, but is "EdDSA"')
    expect(start({ publicKey: ed25519 })).toThrow(
      'must be a public key for ES256 (P-256), ES384 (P-384), RS256 or PS256 (RSA, at least 2048 bits), as PEM, JWK or KeyObject',
    )
    expect(start({ alg: 'RS256' })).toThrow('must be a public key for RS256, as PEM, JWK or KeyObject')
  })

  it.each([
    ['without a sign function', { publicKey }, 'keys.signing[0].sign'],
    ['whose public key is for RSASSA-PSS alone', { ...good, publicKey: rsaPss }, 'keys.signing[0].publicKey'],
    ['without a public key', { sign: good.sign }, 'keys.signing[0].publicKey'],
    ['whose public key is text', { ...good, publicKey: 'no key' }, 'keys.signing[0].publicKey'],
    ['whose public key has another curve', { ...good, publicKey: ec('P-521') }, 'keys.signing[0].publicKey'],
    ['whose public key is for EdDSA', { ...good, publicKey: ed25519 }, 'keys.signing[0].publicKey'],
    ['whose public key is short', { ...good, publicKey: rsa(1024) }, 'keys.signing[0].publicKey'],
    ['for another algorithm than its own', { ...good, alg: 'RS256' }, 'keys.signing[0].publicKey'],
    ['for an algorithm that there is not', { ...good, alg: 'EdDSA' }, 'keys.signing[0].alg'],
    ['with a name that is no text', { ...good, kid: 5 }, 'keys.signing[0].kid'],
    ['with an empty name', { ...good, kid: '' }, 'keys.signing[0].kid'],
    ['with a name of two lines', { ...good, kid: 'a\nb' }, 'keys.signing[0].kid'],
    ['with a very long name', { ...good, kid: 'a'.repeat(201) }, 'keys.signing[0].kid'],
    ['with a member that there is not', { ...good, region: 'eu' }, 'keys.signing[0].region'],
  ])('is refused %s', (_, given, option) => {
    const start = () => testSignIn({ keys: { signing: [given as ExternalSigningKey], credentialSecrets } })
    expect(start).toThrow(expect.objectContaining({ name: 'ConfigurationError', option }))
  })

  it('needs credentialSecrets, wherever it is in the list', () => {
    const start = () => testSignIn({ keys: { signing: [signingKey, good] } })
    expect(start).toThrow(ConfigurationError)
    expect(start).toThrow('keys.credentialSecrets is missing: it must be set, because keys.signing[1] has a signer')
  })

  it('cannot have the name of another key', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    const signingKeys = [good, { ...good, publicKey: other }].map((key) => ({ ...key, kid: 'one' }))
    expect(() => testSignIn({ keys: { signing: signingKeys, credentialSecrets } })).toThrow('no key comes twice')
  })
})
