import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { ConfigurationError, type CustomerSignInOptions, type KeyOptions, MemoryTokenStore } from 'customer-sign-in'
import request from 'supertest'
import { releaseClock, stopClock } from '../../support/clock'
import { type Fault, faultyStore, losesItsAnswer } from '../../support/faulty-store'
import { readToken } from '../../support/forged-token'
import { testSignIn } from '../../support/host-app'
import { recordsOf } from '../../support/records'
import { expectError, expectTokens, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const secret = (name: string) => name.padEnd(32, '0123456789')
const inAcme = { tenantKey: 'acme' }
const strict = { refreshRetryWindow: 0, replayTolerance: 0 }
const [first, second] = [newKey(), newKey()]

afterEach(releaseClock)

const kidOf = async (host: TestSignIn) => readToken((await host.connected()).access_token).header.kid

async function publishedKids(host: TestSignIn): Promise<string[]> {
  const { body } = await request(host.url).get('/v1/acme/oauth/jwks').expect(200)
  return body.keys.map(({ kid }: { kid: string }) => kid)
}

describe('setKeys', () => {
  it('publishes a key, signs with it, and forgets a key', async () => {
    const host = await started({ keys: { signing: [first], credentialSecrets: [secret('one')] } })
    const kid = await kidOf(host)
    await host.signIn.setKeys({ signing: [first, second] })
    expect(await publishedKids(host)).toEqual([kid, expect.any(String)])
    expect(await kidOf(host)).toBe(kid)
    await host.signIn.setKeys({ signing: [second, first] })
    const next = await kidOf(host)
    expect(await publishedKids(host)).toEqual([next, kid])
    await host.signIn.setKeys({ signing: [second] })
    expect(await publishedKids(host)).toEqual([next])
  })

  it('makes the tokens of a removed key invalid, although they were found good before', async () => {
    const host = await started({ keys: { signing: [first], credentialSecrets: [secret('one')] } })
    const { access_token } = await host.connected()
    await host.signIn.verifyAccessToken(access_token, inAcme)
    await host.signIn.setKeys({ signing: [second, first] })
    await host.signIn.verifyAccessToken(access_token, inAcme)
    await host.signIn.setKeys({ signing: [second] })
    await expect(host.signIn.verifyAccessToken(access_token, inAcme)).rejects.toMatchObject({ code: 'invalid_token' })
  })

  it('refuses a list in which another key has the name of the one in use, or the same key another name', async () => {
    const [one, other] = [newKey(), newKey()]
    const named = (key: KeyObject, kid: string) => ({ kid, publicKey: createPublicKey(key), sign: signer(key) })
    const host = await started({ keys: { signing: [named(one, 'the key')], credentialSecrets: [secret('one')] } })
    const { access_token } = await host.connected()
    for (const key of [named(other, 'the key'), named(one, 'the other name')])
      await expect(host.signIn.setKeys({ signing: [key] })).rejects.toThrow('has none of the keys in use')
    await host.signIn.verifyAccessToken(access_token, inAcme)
    await host.signIn.setKeys({ signing: [named(one, 'the key')] })
  })

  it('makes the tokens of a removed key invalid, although another key has its name now', async () => {
    const [one, other] = [newKey(), newKey()]
    const named = (key: KeyObject) => ({ kid: 'the key', publicKey: createPublicKey(key), sign: signer(key) })
    const host = await started({ keys: { signing: [named(one), first], credentialSecrets: [secret('one')] } })
    const { access_token } = await host.connected()
    await host.signIn.verifyAccessToken(access_token, inAcme)
    await host.signIn.setKeys({ signing: [named(other), first] })
    await expect(host.signIn.verifyAccessToken(access_token, inAcme)).rejects.toMatchObject({ code: 'invalid_token' })
    const { body } = await request(host.url).get('/v1/acme/oauth/jwks')
    expect(body.keys[0]).toMatchObject({ kid: 'the key', x: createPublicKey(other).export({ format: 'jwk' }).x })
  })

  it('still finds a replay of a credential of the old secret, as long as that is listed', async () => {
    const tokenStore = new MemoryTokenStore()
    const host = await started(strict, { tokenStore, keys: { credentialSecrets: [secret('old')] } })
    const { refresh_token } = await host.connected()
    await host.signIn.setKeys({ credentialSecrets: [secret('new'), secret('old')] })
    expectTokens(await host.refresh(refresh_token))
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    expect(await recordsOf(tokenStore)).toEqual([])
  })

  it('no longer recognises what a removed secret has made, except for the live refresh token', async () => {
    const tokenStore = new MemoryTokenStore()
    const host = await started(strict, { tokenStore, keys: { credentialSecrets: [secret('old')] } })
    const { refresh_token } = await host.connected()
    await host.signIn.setKeys({ credentialSecrets: [secret('new'), secret('old')] })
    await host.signIn.setKeys({ credentialSecrets: [secret('new')] })
    const { refresh_token: next } = expectTokens(await host.refresh(refresh_token))
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    expect(await host.told('replayed')).toEqual([])
    expectTokens(await host.refresh(next))
  })

  it.each([
    ['without credentialSecrets', {}],
    ['with credentialSecrets', { keys: { credentialSecrets: [secret('one')] } }],
  ])('leaves the secrets as they are %s, when it is given signing keys that have the old one', async (_, secrets) => {
    const tokenStore = new MemoryTokenStore()
    const host = await started(strict, secrets, { tokenStore, keys: { signing: [first] } })
    const { refresh_token } = await host.connected()
    await host.signIn.setKeys({ signing: [second, first] })
    expectTokens(await host.refresh(refresh_token))
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    expect(await host.told('replayed')).toEqual([expect.objectContaining({ ended: true })])
  })

  it('lets a consent page that was shown before still give its code', async () => {
    const tokenStore = new MemoryTokenStore()
    const shared = { tokenStore, baseUrl: 'https://assistant.example', keys: { signing: [first] } }
    const consent = (_req: unknown, _res: unknown, { proof, form }: { proof: string; form?: URLSearchParams }) => {
      proofs.push(proof)
      return form ? true : undefined
    }
    const proofs: string[] = []
    const host = await started(shared, {
      keys: { credentialSecrets: [secret('old')] },
      authenticate: () => ({ subject: 'customer-1' }),
      pages: {
        consent: (req, res, asked) => {
          const answer = consent(req, res, asked)
          if (!answer) res.end('the page')
          return answer
        },
      },
    })
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'assistant-app',
      redirect_uri: 'https://assistant.example/callback',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    })
    const path = `/v1/acme/oauth/authorize?${query}`
    const submit = (proof = '') => request(host.url).post(path).type('form').send({ consent_token: proof })
    await request(host.url).get(path).expect(200)
    await host.signIn.setKeys({ credentialSecrets: [secret('new'), secret('old')] })
    await submit(proofs[0]).expect(303)
    await host.signIn.setKeys({ credentialSecrets: [secret('new')] })
    await submit(proofs[0]).expect(200)
    await submit(proofs.at(-1)).expect(303)
  })

  it('makes one change after the other, however long a signer takes', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const slow = {
      publicKey: createPublicKey(second),
      sign: async (data: Uint8Array) => {
        await held
        return signer(second)(data)
      },
    }
    const host = await started({ keys: { signing: [first], credentialSecrets: [secret('one')] } })
    const kid = await kidOf(host)
    const changes = [host.signIn.setKeys({ signing: [slow, first] }), host.signIn.setKeys({ signing: [first] })]
    release()
    await Promise.all(changes)
    expect(await publishedKids(host)).toEqual([kid])
  })

  it('takes what follows after a change that was refused', async () => {
    const host = await started({ keys: { signing: [first], credentialSecrets: [secret('one')] } })
    const refused = host.signIn.setKeys({ signing: [] })
    const taken = host.signIn.setKeys({ signing: [second, first] })
    await expect(refused).rejects.toThrow(ConfigurationError)
    await taken
    expect(await publishedKids(host)).toHaveLength(2)
  })
})

describe('setKeys refuses, and leaves everything as it is,', () => {
  const signs = { publicKey: createPublicKey(second), sign: signer(second) }
  const fails = { publicKey: createPublicKey(second), sign: () => Promise.reject(new Error('The key is off')) }
  const own = { keys: { signing: [first], credentialSecrets: [secret('one')] } }

  it.each<[string, Partial<CustomerSignInOptions>, unknown, string, string]>([
    ['nothing', own, undefined, 'setKeys', 'must be'],
    ['neither keys nor secrets', own, {}, 'setKeys', 'signing, credentialSecrets or both'],
    ['a member that there is not', own, { sining: [first] }, 'setKeys.sining', 'Did you mean signing?'],
    ['no list', own, { signing: first }, 'setKeys.signing', 'an array of private keys'],
    ['a key that is none', own, { signing: [first, 'none'] }, 'keys.signing[1]', 'private keys'],
    ['no key', own, { signing: [] }, 'keys.signing', '1 to 4'],
    ['a short secret', own, { credentialSecrets: ['short'] }, 'setKeys.credentialSecrets[0]', 'at least 32 bytes'],
    [
      'a good list of keys with a short secret',
      own,
      { signing: [second, first], credentialSecrets: ['short'] },
      'setKeys.credentialSecrets[0]',
      '32 bytes',
    ],
    ['none of the keys in use', own, { signing: [second] }, 'setKeys.signing', 'has none of the keys in use'],
    [
      'none of the secrets in use',
      own,
      { credentialSecrets: [secret('new')] },
      'setKeys.credentialSecrets',
      'has none of the secrets in use',
    ],
    [
      'secrets without those of the signing keys',
      { keys: { signing: [first] } },
      { credentialSecrets: [secret('new')] },
      'setKeys.credentialSecrets',
      'has none of the secrets in use',
    ],
    [
      'a key with a signer but no secrets',
      { keys: { signing: [first] } },
      { signing: [first, signs] },
      'keys.credentialSecrets',
      'keys.signing[1] has a signer',
    ],
  ])('%s', async (_, options, given, option, says) => {
    const host = await started(options)
    const before = await publishedKids(host)
    const { refresh_token, access_token } = await host.connected()
    const refused = host.signIn.setKeys(given as KeyOptions)
    await expect(refused).rejects.toMatchObject({ name: 'ConfigurationError', option })
    await expect(refused).rejects.toThrow(says)
    expect(await publishedKids(host)).toEqual(before)
    await host.signIn.verifyAccessToken(access_token, inAcme)
    expectTokens(await host.refresh(refresh_token))
  })

  it('a first key whose signer fails', async () => {
    const host = await started(own)
    const before = await publishedKids(host)
    const refused = host.signIn.setKeys({ signing: [fails, first] })
    await expect(refused).rejects.toMatchObject({ code: 'temporarily_unavailable', reason: 'signer_failed' })
    expect(await publishedKids(host)).toEqual(before)
  })

  it('without calling the signer of a key that only verifies', async () => {
    const host = await started(own)
    await host.signIn.setKeys({ signing: [first, fails] })
    expect(await publishedKids(host)).toHaveLength(2)
  })

  it('without calling the signer in use, if only the secrets change', async () => {
    let works = true
    const sometimes = {
      publicKey: createPublicKey(second),
      sign: (data: Uint8Array) => (works ? signer(second)(data) : fails.sign()),
    }
    const host = await started(own, { keys: { signing: [sometimes] } })
    works = false
    await host.signIn.setKeys({ credentialSecrets: [secret('two'), secret('one')] })
  })

  it('and quotes no secret', async () => {
    const signIn = testSignIn({ baseUrl: 'https://assistant.example', ...own })
    const error: Error = await signIn.setKeys({ credentialSecrets: ['the secret'] }).then(
      () => new Error('It was accepted'),
      (refused) => refused,
    )
    expect(`${error.message}${error.stack}${JSON.stringify(error)}`).not.toContain('the secret')
  })
})

describe('keys that a process has made for itself', () => {
  it('can be replaced by any others', async () => {
    const host = await started({ keys: { signing: undefined } })
    const { refresh_token } = await host.connected()
    await host.signIn.setKeys({ signing: [first] })
    await expect(host.signIn.setKeys({ signing: [second] })).rejects.toThrow('none of the keys in use')
    expectTokens(await host.refresh(refresh_token))
  })

  it('stay until there are others, although the secrets have been replaced', async () => {
    const host = await started({ keys: { signing: undefined } })
    const [kid] = await publishedKids(host)
    await host.signIn.setKeys({ credentialSecrets: [secret('one')] })
    expect(await publishedKids(host)).toEqual([kid])
    await host.signIn.setKeys({ signing: [first] })
    expect(await publishedKids(host)).not.toContain(kid)
  })
})

describe('from the private part of a key to secrets of their own', () => {
  it('nobody notices, if the first list begins with that part', async () => {
    const host = await started(strict, { keys: { signing: [first] } })
    const { refresh_token } = await host.connected()
    const part = Buffer.from(String(first.export({ format: 'jwk' }).d), 'base64url')
    await host.signIn.setKeys({ credentialSecrets: [part, secret('new')] })
    await host.signIn.setKeys({ credentialSecrets: [secret('new'), part] })
    await host.signIn.setKeys({ signing: [second, first] })
    await host.signIn.setKeys({ signing: [second] })
    expectTokens(await host.refresh(refresh_token))
    expectError(await host.refresh(refresh_token), 400, 'invalid_grant')
    expect(await host.told('replayed')).toEqual([expect.objectContaining({ ended: true })])
  })
})

describe('a redemption that is under way while the keys change', () => {
  const shared = { ...strict, keys: { credentialSecrets: [secret('old')] } }

  const turns = [{ signing: [second, first], credentialSecrets: [secret('new'), secret('old')] }]
  const drops = [...turns, { signing: [second], credentialSecrets: [secret('new')] }]

  it.each([
    ['new keys come before the store has been asked', turns, 'before'],
    ['new keys come once the store has answered', turns, 'after'],
    ['the old ones go before the store has been asked', drops, 'before'],
    ['the old ones go once the store has answered', drops, 'after'],
  ] as const)('ends well: %s', async (_, changes, when) => {
    const { store, next } = faultyStore()
    const host = await started(shared, { keys: { signing: [first] }, tokenStore: store })
    const { refresh_token } = await host.connected()
    const change = async () => {
      for (const keys of changes) await host.signIn.setKeys(keys)
    }
    const changing: Fault = async (apply) => {
      if (when === 'before') await change()
      const result = await apply()
      if (when === 'after') await change()
      return result
    }
    next('swapCredential', changing)
    const { access_token, refresh_token: following } = expectTokens(await host.refresh(refresh_token))
    await host.signIn.verifyAccessToken(access_token, inAcme)
    expectTokens(await host.refresh(following))
  })

  it('is answered with 503 and costs the client nothing, if the key is removed while its signer is asked', async () => {
    const other = { publicKey: createPublicKey(second), sign: signer(second) }
    let change = async () => {}
    const slow = async (data: Uint8Array) => {
      await change()
      return signer(first)(data)
    }
    const external = { publicKey: createPublicKey(first), sign: slow }
    const host = await started(shared, { keys: { signing: [external] } })
    const { refresh_token } = await host.connected()
    change = async () => {
      change = async () => {}
      await host.signIn.setKeys({ signing: [other, external] })
      await host.signIn.setKeys({ signing: [other] })
    }
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    const { access_token } = expectTokens(await host.refresh(refresh_token))
    await host.signIn.verifyAccessToken(access_token, inAcme)
  })

  it('costs the client nothing, if a signer takes over once the store has answered, and fails', async () => {
    const { store, next } = faultyStore()
    let works = true
    const sign = (data: Uint8Array) => {
      if (works) return signer(second)(data)
      throw new Error('The key is off')
    }
    const host = await started(shared, { keys: { signing: [first] }, tokenStore: store })
    const { refresh_token } = await host.connected()
    next('swapCredential', async (apply) => {
      const result = await apply()
      await host.signIn.setKeys({ signing: [{ publicKey: createPublicKey(second), sign }, first] })
      works = false
      return result
    })
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    works = true
    const { refresh_token: following } = expectTokens(await host.refresh(refresh_token))
    expectTokens(await host.refresh(following))
    expect(await host.told('replayed')).toEqual([])
  })

  it('is taken up again after a 503, although the secret has changed in the meantime', async () => {
    const { store, next } = faultyStore()
    const host = await started({ ...shared, tokenStore: store })
    const { refresh_token } = await host.connected()
    next('swapCredential', losesItsAnswer, losesItsAnswer)
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await host.signIn.setKeys({ credentialSecrets: [secret('new'), secret('old')] })
    const { refresh_token: following } = expectTokens(await host.refresh(refresh_token))
    expectTokens(await host.refresh(following))
  })
})

describe('two processes that change their keys at different times', () => {
  it.each<[string, [KeyOptions, ...KeyOptions[]]]>([
    [
      'signing keys',
      [{ signing: [first] }, { signing: [first, second] }, { signing: [second, first] }, { signing: [second] }],
    ],
    [
      'credential secrets',
      [
        { credentialSecrets: [secret('old')] },
        { credentialSecrets: [secret('old'), secret('new')] },
        { credentialSecrets: [secret('new'), secret('old')] },
        { credentialSecrets: [secret('new')] },
      ],
    ],
  ])('accept each other’s tokens at every moment, if they follow the order: %s', async (_, [initial, ...changes]) => {
    const shared = {
      keys: initial,
      refreshRetryWindow: 60,
      tokenStore: new MemoryTokenStore(),
      baseUrl: 'https://assistant.example',
    }
    const [one, other] = [await started(shared), await started(shared)]
    const clock = stopClock()
    let { refresh_token } = await one.connected()

    /** Each accepts what the other has issued, and recognises a repeat of what the other has redeemed. */
    const agree = async (here: TestSignIn, there: TestSignIn) => {
      clock.advance(11)
      const { access_token, refresh_token: next } = expectTokens(await here.refresh(refresh_token))
      await there.signIn.verifyAccessToken(access_token, inAcme)
      const repeat = expectTokens(await there.refresh(refresh_token))
      await here.signIn.verifyAccessToken(repeat.access_token, inAcme)
      // Both are the live one.
      expectTokens(await there.refresh(next))
      refresh_token = repeat.refresh_token
      const signedIn = await here.asCustomer()
      const { access_token: ofCode } = expectTokens(await there.exchange(signedIn))
      await here.signIn.verifyAccessToken(ofCode, inAcme)
    }

    for (const keys of changes) {
      for (const host of [one, other]) {
        await host.signIn.setKeys(keys)
        await agree(one, other)
        await agree(other, one)
      }
      // The documented wait: until then, the tokens of the step before may still come.
      clock.advance(3600)
    }
    expect([...(await one.told('replayed')), ...(await other.told('replayed'))]).toEqual([])
  })
})

function signer(key: KeyObject): (data: Uint8Array) => Uint8Array {
  return (data) => sign('sha256', data, key)
}
