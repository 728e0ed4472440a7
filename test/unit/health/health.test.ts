import { generateKeyPairSync, sign } from 'node:crypto'
import { type Health, type HealthRequest, MemoryTokenStore } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import request from 'supertest'
import { Authorization, asTheySay } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { DocumentServer, publishing } from '../../support/document-server'
import { faultyStore, hangs, rejects } from '../../support/faulty-store'
import { redirectUri, signingKey } from '../../support/sign-in'
import { SkewedClocks } from '../../support/skewed-clocks'
import { started } from '../../support/started'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signed = (data: Uint8Array) => sign('sha256', data, privateKey)

const partsOf = ({ problems }: Health) => problems.map(({ part }) => part)

describe('signIn.health', () => {
  it('says that everything is well', async () => {
    const { signIn } = await started({ keys: { signing: [signingKey] } })
    expect(await signIn.health()).toEqual({
      ready: true,
      ok: true,
      problems: [],
      tokenStore: { answers: true, milliseconds: expect.any(Number), clockOffset: expect.any(Number) },
      keys: { signing: expect.stringMatching(/^[\w-]{43}$/), verifying: 1, temporary: false },
      documents: { kept: 0, stale: 0, failing: 0 },
    })
  })

  it('writes nothing', async () => {
    const store = new MemoryTokenStore()
    const { signIn } = await started({ tokenStore: store })
    await signIn.health()
    expect(await collect(store)).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['a wrong time', { timeout: 0 }, 'health.timeout'],
    ['a time that is none', { timeout: '1' }, 'health.timeout'],
    ['a very long time', { timeout: 61 }, 'health.timeout'],
    ['another member', { time: 1 }, 'health.time'],
    ['no object', 5, 'health'],
  ])('refuses %s', async (_, given, option) => {
    const { signIn } = await started()
    await expect(signIn.health(given as HealthRequest)).rejects.toMatchObject({ name: 'ConfigurationError', option })
  })
})

describe('signIn.health, of a store that fails,', () => {
  it('reports it in plain words, and not the error, which only an event has', async () => {
    const { store, always } = faultyStore()
    const host = await started({ tokenStore: store })
    always('swapCredential', () => Promise.reject(new Error('password authentication failed for user "sign_in"')))
    const health = await host.signIn.health()
    expect(health).toMatchObject({ ready: false, ok: false, tokenStore: { answers: false } })
    expect(health.problems).toEqual([
      {
        part: 'tokenStore',
        problem: 'The token store fails, so clients get 503',
        remedy: expect.stringContaining('health'),
      },
    ])
    expect(JSON.stringify(health)).not.toContain('password')
    expect(await host.told('error')).toEqual([
      expect.objectContaining({ where: 'health', reason: 'token_store_failed' }),
    ])
  })

  it('stays ready once it has been, so that clients get our 503 and keep their tokens', async () => {
    const { store, always, recover } = faultyStore()
    const { signIn } = await started({ tokenStore: store })
    expect(await signIn.health()).toMatchObject({ ready: true, ok: true })
    always('swapCredential', rejects)
    expect(await signIn.health()).toMatchObject({ ready: true, ok: false })
    recover()
    expect(await signIn.health()).toMatchObject({ ready: true, ok: true, problems: [] })
  })

  it('becomes ready when the store answers for the first time', async () => {
    const { store, always, recover } = faultyStore()
    const { signIn } = await started({ tokenStore: store })
    always('swapCredential', rejects)
    expect(await signIn.health()).toMatchObject({ ready: false, ok: false })
    recover()
    expect(await signIn.health()).toMatchObject({ ready: true, ok: true })
  })

  it.each<[string, TokenStore['swapCredential']]>([
    [
      'throws at once',
      () => {
        throw new Error('Not open')
      },
    ],
    ['gives nothing', async () => undefined as never],
    ['does not tell its time', async () => ({ outcome: 'missing', now: Number.NaN }) as never],
    ['has a grant that nobody has made', async () => ({ outcome: 'mismatch', now: Date.now(), grant: {} }) as never],
  ])('says so of one that %s', async (_, swapCredential) => {
    const store: TokenStore = Object.assign(new MemoryTokenStore(), { swapCredential })
    const { signIn } = await started({ tokenStore: store })
    expect(partsOf(await signIn.health())).toEqual(['tokenStore'])
  })

  it('waits for a store that hangs no longer than it is told, and says for how long it has hung', async () => {
    const { store, always } = faultyStore()
    const { signIn } = await started({ tokenStore: store, hostTimeout: 60 })
    always('swapCredential', hangs)
    const { tokenStore, problems } = await signIn.health({ timeout: 0.01 })
    expect(tokenStore.answers).toBe(false)
    expect(problems).toEqual([
      {
        part: 'tokenStore',
        problem: `The token store has not answered for ${tokenStore.milliseconds} ms`,
        remedy: expect.any(String),
      },
    ])
    const later = await signIn.health({ timeout: 0.01 })
    expect(later.tokenStore.milliseconds).toBeGreaterThan(tokenStore.milliseconds)
  })

  it('notices an answer that comes after it has been asked', async () => {
    const { store, next } = faultyStore()
    const { signIn } = await started({ tokenStore: store, hostTimeout: 60 })
    let answer = () => {}
    const released = new Promise<void>((resolve) => {
      answer = resolve
    })
    next('swapCredential', async (apply) => {
      await released
      return apply()
    })
    expect(await signIn.health({ timeout: 0.01 })).toMatchObject({ ready: false, ok: false })
    answer()
    expect(await signIn.health()).toMatchObject({ ready: true, ok: true })
  })

  it('asks the store once, however many probes ask at a time', async () => {
    const { store, next } = faultyStore()
    const { signIn } = await started({ tokenStore: store })
    let calls = 0
    for (let times = 0; times < 500; times++) {
      next('swapCredential', (apply) => {
        calls++
        return apply()
      })
    }
    const all = await Promise.all(Array.from({ length: 500 }, () => signIn.health()))
    expect(all.every(({ ok }) => ok)).toBe(true)
    expect(calls).toBe(1)
    await signIn.health()
    expect(calls).toBe(2)
  })
})

describe('signIn.health, of clocks,', () => {
  it.each([
    ['300 s behind', 300],
    ['300 s ahead of', -300],
  ])('says that the process’s is %s the store’s', async (words, ahead) => {
    const clocks = new SkewedClocks(ahead)
    try {
      const { signIn } = await started({ tokenStore: clocks.keep(new MemoryTokenStore()) })
      clocks.believe(0)
      const { ready, ok, problems, tokenStore } = await signIn.health()
      expect({ ready, ok }).toEqual({ ready: true, ok: false })
      expect(Math.round(tokenStore.clockOffset ?? 0)).toBe(ahead)
      expect(problems).toEqual([
        {
          part: 'clock',
          problem: `The clock of this process is ${words} the clock of the token store`,
          remedy: expect.stringContaining('NTP'),
        },
      ])
    } finally {
      clocks.release()
    }
  })

  it.each([60, -60])('says nothing of %s s', async (ahead) => {
    const clocks = new SkewedClocks(ahead)
    try {
      const { signIn } = await started({ tokenStore: clocks.keep(new MemoryTokenStore()) })
      clocks.believe(0)
      expect(await signIn.health()).toMatchObject({ ok: true, problems: [], tokenStore: { clockOffset: ahead } })
    } finally {
      clocks.release()
    }
  })
})

describe('signIn.health, of metadata documents,', () => {
  afterEach(releaseClock)
  const minute = 60

  it('counts those that are kept, no longer fresh, and replaced by a copy', async () => {
    let isAway = false
    const server = await DocumentServer.start((self) => (req, res) => {
      if (isAway) res.writeHead(503).end()
      else publishing(self)(req, res)
    })
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    const clock = stopClock()
    const documents = async () => (await host.signIn.health({ timeout: 30 })).documents
    const open = (path: string) => new Authorization(host, { client_id: server.url(path) }).open().expect(200)
    await open('/one.json')
    await open('/other.json')
    expect(await documents()).toEqual({ kept: 2, stale: 0, failing: 0 })
    clock.advance(minute)
    expect(await documents()).toEqual({ kept: 2, stale: 2, failing: 0 })
    isAway = true
    await open('/one.json')
    expect(await documents()).toEqual({ kept: 2, stale: 2, failing: 1 })
    isAway = false
    clock.advance(minute)
    await open('/one.json')
    expect(await documents()).toEqual({ kept: 2, stale: 1, failing: 0 })
  })

  it('counts a known assistant’s whose copy is used', async () => {
    let isAway = true
    const server = await DocumentServer.start((self) => (req, res) => {
      if (isAway) res.writeHead(503).end()
      else publishing(self)(req, res)
    })
    const clientId = server.url()
    const document = { client_id: clientId, client_name: 'Known', redirect_uris: [redirectUri] }
    const host = await started({
      authenticate: asTheySay,
      clients: { documents: 'with-loopback', known: [{ document }] },
    })
    const clock = stopClock()
    const documents = async () => (await host.signIn.health({ timeout: 30 })).documents
    const open = () => new Authorization(host, { client_id: clientId }).open().expect(200)
    expect(await documents()).toEqual({ kept: 0, stale: 0, failing: 0 })
    await open()
    expect(await documents()).toEqual({ kept: 0, stale: 0, failing: 1 })
    isAway = false
    clock.advance(minute)
    await open()
    expect(await documents()).toEqual({ kept: 1, stale: 0, failing: 0 })
  })

  it('counts none where they are off', async () => {
    const { signIn } = await started({ clients: { documents: false } })
    expect((await signIn.health()).documents).toEqual({ kept: 0, stale: 0, failing: 0 })
  })
})

describe('signIn.health, of keys,', () => {
  it('names the one that signs, and counts those that verify', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const { signIn, url } = await started({ keys: { signing: [signingKey, other] } })
    const { body } = await request(url).get('/v1/acme/oauth/jwks')
    expect((await signIn.health()).keys).toEqual({ signing: body.keys[0].kid, verifying: 2, temporary: false })
    await signIn.setKeys({ signing: [other, signingKey] })
    expect((await signIn.health()).keys).toEqual({ signing: body.keys[1].kid, verifying: 2, temporary: false })
  })

  it('says whether they were made for the process', async () => {
    const { signIn } = await started({ keys: { signing: undefined } })
    expect((await signIn.health()).keys).toMatchObject({ verifying: 1, temporary: true })
    await signIn.setKeys({ signing: [signingKey] })
    expect((await signIn.health()).keys).toMatchObject({ verifying: 1, temporary: false })
  })

  it('has no secret and no private part', async () => {
    const secret = 'the secret that nobody may see ..'
    const { signIn } = await started({ keys: { signing: [signingKey], credentialSecrets: [secret] } })
    const text = JSON.stringify(await signIn.health())
    expect(text).not.toContain(secret)
    expect(text).not.toContain(signingKey.export({ format: 'jwk' }).d)
  })
})

describe('signIn.health, of a signer,', () => {
  const credentialSecrets = ['0123456789'.repeat(4)]
  const withSigner = (by: (data: Uint8Array) => Uint8Array | Promise<Uint8Array>, options = {}) =>
    started({ keys: { credentialSecrets, signing: [{ publicKey, sign: by }] } }, options)

  it('tries it once, and then relies on the tokens that it signs', async () => {
    let calls = 0
    const host = await withSigner((data) => {
      calls++
      return signed(data)
    })
    for (let times = 0; times < 3; times++) {
      expect(await host.signIn.health()).toMatchObject({ ready: true, ok: true, keys: { signerWorks: true } })
    }
    expect(calls).toBe(1)
  })

  it('lets it sign what is no access token', async () => {
    const given: string[] = []
    const host = await withSigner((data) => {
      given.push(String(data))
      return signed(data)
    })
    const { keys } = await host.signIn.health()
    const [header = '', payload = ''] = (given[0] ?? '').split('.')
    const read = (part: string) => JSON.parse(String(Buffer.from(part, 'base64url')))
    expect(read(header)).toEqual({ alg: 'ES256', typ: 'trial', kid: keys.signing })
    expect(read(payload)).toEqual({})
  })

  it('says that it fails, and that it works again, without a client', async () => {
    let fails = true
    const host = await withSigner((data) => {
      if (fails) throw new Error('arn:aws:kms:eu-west-1:111122223333:key/1 is disabled')
      return signed(data)
    })
    const health = await host.signIn.health()
    expect(health).toMatchObject({ ready: false, ok: false, keys: { signerWorks: false } })
    expect(health.problems).toEqual([
      {
        part: 'signingKeys',
        problem: 'The signer of keys.signing[0] fails, so clients get 503',
        remedy: expect.stringContaining('service'),
      },
    ])
    expect(JSON.stringify(health)).not.toContain('arn:')
    expect(await host.told('error')).toEqual([expect.objectContaining({ where: 'health', reason: 'signer_failed' })])
    fails = false
    expect(await host.signIn.health()).toMatchObject({ ready: true, ok: true, keys: { signerWorks: true } })
  })

  it('notices that it fails from the requests of clients, and stays ready', async () => {
    let fails = false
    const host = await withSigner((data) => {
      if (fails) throw new Error('The key is off')
      return signed(data)
    })
    const { refresh_token } = await host.connected()
    expect(await host.signIn.health()).toMatchObject({ ready: true, ok: true })
    fails = true
    await host.refresh(refresh_token)
    expect(await host.signIn.health()).toMatchObject({ ready: true, ok: false, keys: { signerWorks: false } })
  })

  it('does not wait for one that hangs', async () => {
    const host = await withSigner(() => new Promise(() => {}), { hostTimeout: 60 })
    const { problems, ready } = await host.signIn.health({ timeout: 0.01 })
    expect(ready).toBe(false)
    expect(problems).toEqual([
      expect.objectContaining({ part: 'signingKeys', problem: expect.stringMatching(/has not answered for \d+ ms$/) }),
    ])
  })

  it('is asked once, however many probes ask at a time', async () => {
    let calls = 0
    const host = await withSigner((data) => {
      calls++
      return signed(data)
    })
    await Promise.all(Array.from({ length: 100 }, () => host.signIn.health()))
    expect(calls).toBe(1)
  })
})

async function collect(store: MemoryTokenStore): Promise<unknown[]> {
  const { grants } = await store.listGrants({ tenantId: 'acme', limit: 10 })
  return grants
}
