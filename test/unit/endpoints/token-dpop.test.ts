import { generateKeyPairSync } from 'node:crypto'
import { decode } from 'jsonwebtoken'
import { ProofKey } from '../../../src/protocol/proof-key'
import { releaseClock, stopClock } from '../../support/clock'
import { faultyStore, rejects } from '../../support/faulty-store'
import { bound, KeyHolder, type WrongProof } from '../../support/key-holder'
import { expectError, expectTokens, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

afterEach(releaseClock)

const now = () => Math.floor(Date.now() / 1000)
const otherKey = new ProofKey()
const jwkOf = (type: 'rsa' | 'ed448', options = {}) => {
  const { publicKey } = generateKeyPairSync(type as 'rsa', options as { modulusLength: number })
  return publicKey.export({ format: 'jwk' })
}

const brokenProofs: [what: string, proof: WrongProof | ((right: string, holder: KeyHolder) => string)][] = [
  ['no text', () => ''],
  ['no JWT', () => 'proof'],
  ['two parts of three', (right) => right.split('.').slice(0, 2).join('.')],
  ['a fourth part', (right) => `${right}.x`],
  ['two proofs', (right, holder) => `${right}, ${holder.proof()}`],
  ['more characters than any proof', (right) => right + 'x'.repeat(9000)],
  ['a header that is no JSON', (right) => `bm9uZQ.${right.split('.').slice(1).join('.')}`],
  ['claims that are a list', (right) => right.replace(/\.[\w-]+\./, `.${Buffer.from('[]').toString('base64url')}.`)],
  ['no signature', (right) => right.replace(/[\w-]+$/, '')],
  ['another signature', (right) => right.replace(/.{8}$/, 'AAAAAAAA')],
  ['the signature of another proof', (right, holder) => right.replace(/[\w-]+$/, holder.proof().split('.')[2] ?? '')],
  ['no typ', { header: { typ: undefined } }],
  ['the typ of any JWT', { header: { typ: 'JWT' } }],
  ['another typ', { header: { typ: 'dpop' } }],
  ['the typ of an access token', { header: { typ: 'at+jwt' } }],
  ['alg none', (right) => withHeader(right, { alg: 'none' })],
  ['no alg', (right) => withHeader(right, { alg: undefined })],
  ['a symmetric alg', (right) => withHeader(right, { alg: 'HS256' })],
  ['the alg of another key', (right) => withHeader(right, { alg: 'RS256' })],
  ['an alg that nobody knows', (right) => withHeader(right, { alg: 'ES999' })],
  ['crit', { header: { crit: ['exp'] } }],
  ['no jwk', { header: { jwk: undefined } }],
  ['a text as jwk', { header: { jwk: 'key' } }],
  ['an empty jwk', { header: { jwk: {} } }],
  ['the jwk of another key', { header: { jwk: otherKey.jwk } }],
  ['a jwk with a private member', (right, { key }) => withHeader(right, { jwk: { ...key.jwk, d: 'AAAA' } })],
  ['a symmetric jwk', { header: { jwk: { kty: 'oct', k: 'AAAA' } } }],
  ['a jwk of a curve that is not offered', { header: { jwk: jwkOf('ed448') } }],
  ['a short RSA key', { header: { jwk: jwkOf('rsa', { modulusLength: 1024 }) } }],
  ['a point that is not on the curve', (right, { key }) => withHeader(right, { jwk: { ...key.jwk, x: key.jwk.y } })],
  ['a jwk for encryption', (right, { key }) => withHeader(right, { jwk: { ...key.jwk, use: 'enc' } })],
  ['a kid in place of the jwk', { header: { jwk: undefined, kid: 'key' } }],
  ['no htm', { claims: { htm: undefined } }],
  ['another method', { claims: { htm: 'GET' } }],
  ['the method in small letters', { claims: { htm: 'post' } }],
  ['no htu', { claims: { htu: undefined } }],
  ['a list as htu', { claims: { htu: ['https://acme.example'] } }],
  ['a path as htu', { claims: { htu: '/v1/acme/oauth/token' } }],
  ['another host', { claims: { htu: 'https://attacker.example/v1/acme/oauth/token' } }],
  ['another scheme', (_, holder) => holder.proof({ claims: { htu: holderUrl(holder).replace('http:', 'https:') } })],
  ['another port', (_, holder) => holder.proof({ claims: { htu: holderUrl(holder).replace(/:\d+/, ':1') } })],
  ['another company', (_, holder) => holder.proof({ claims: { htu: holderUrl(holder).replace('acme', 'globex') } })],
  ['another endpoint', (_, holder) => holder.proof({ claims: { htu: holderUrl(holder).replace('token', 'revoke') } })],
  [
    'a path in other letters',
    (_, holder) => holder.proof({ claims: { htu: holderUrl(holder).replace('/v1', '/V1') } }),
  ],
  ['no jti', { claims: { jti: undefined } }],
  ['an empty jti', { claims: { jti: '' } }],
  ['a number as jti', { claims: { jti: 1 } }],
  ['a jti of 257 characters', { claims: { jti: 'j'.repeat(257) } }],
  ['no iat', { claims: { iat: undefined } }],
  ['a text as iat', { claims: { iat: String(now()) } }],
  ['a number as nonce', { claims: { nonce: 1 } }],
]

/** The proof with other members in its header. Its signature is the old one. */
function withHeader(proof: string, members: object): string {
  const [header = '', ...others] = proof.split('.')
  const changed = { ...JSON.parse(String(Buffer.from(header, 'base64url'))), ...members }
  return [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...others].join('.')
}

function holderUrl(holder: KeyHolder): string {
  return String(Object(decode(holder.proof())).htu)
}

describe('a broken DPoP proof', () => {
  it.each(brokenProofs)('is refused and uses nothing up: %s', async (_, broken) => {
    const host = await started()
    const holder = new KeyHolder(host)
    const proof = () => (typeof broken === 'function' ? broken(holder.proof(), holder) : holder.proof(broken))
    const signedIn = await host.asCustomer()
    expectError(await host.exchange(signedIn).set('DPoP', proof()), 400, 'invalid_dpop_proof')
    const first = bound(await holder.proving(host.exchange(signedIn)))
    expectError(await host.refresh(first.refresh_token).set('DPoP', proof()), 400, 'invalid_dpop_proof')
    bound(await holder.refresh(first.refresh_token))
    const denied = await host.told('denied')
    expect(denied).toHaveLength(2)
    for (const event of denied) expect(event).toMatchObject({ where: 'token', reason: 'invalid_dpop_proof' })
  })
})

describe('the time of a DPoP proof', () => {
  it.each([-300, 0, 300])('may be %d seconds away from that of the store', async (offset) => {
    stopClock()
    const host = await started()
    const holder = new KeyHolder(host)
    const proof = holder.proof({ claims: { iat: now() + offset } })
    bound(await host.exchange(await host.asCustomer()).set('DPoP', proof))
  })

  it.each([-301, 301, -86_400, 86_400])('at %d seconds takes a nonce, which any process can check', async (offset) => {
    stopClock()
    const host = await started({ keys: { credentialSecrets: ['a secret of both processes, of 32 bytes'] } })
    const other = await started({
      keys: { credentialSecrets: ['a secret of both processes, of 32 bytes'] },
      tokenStore: host.tokenStore,
      baseUrl: host.url,
    })
    const holder = new KeyHolder(host)
    const signedIn = await host.asCustomer()
    const iat = now() + offset
    const refused = await host.exchange(signedIn).set('DPoP', holder.proof({ claims: { iat } }))
    expectError(refused, 400, 'use_dpop_nonce')
    const nonce = refused.headers['dpop-nonce']
    expect(refused.headers['access-control-expose-headers']).toContain('DPoP-Nonce')
    bound(await other.exchange(signedIn).set('DPoP', holder.proof({ claims: { iat, nonce } })))
  })

  it('is not that of a nonce which is old, changed, or of another server', async () => {
    const clock = stopClock()
    const host = await started()
    const stranger = await started({ keys: { credentialSecrets: ['a secret of another server, of 32 bytes'] } })
    const holder = new KeyHolder(host)
    const ask = async (of: TestSignIn) => {
      const proof = new KeyHolder(of).proof({ claims: { iat: 1 } })
      return String((await of.refresh('csir_x').set('DPoP', proof)).headers['dpop-nonce'])
    }
    const [own, foreign] = [await ask(host), await ask(stranger)]
    const changed = own.replace(/\d/, (digit) => String((Number(digit) + 1) % 10))
    const signedIn = await host.asCustomer()
    const present = (nonce: string) => host.exchange(signedIn).set('DPoP', holder.proof({ claims: { iat: 1, nonce } }))
    for (const nonce of [foreign, changed, `${own}x`, own.slice(0, -1), '', '9']) {
      expectError(await present(nonce), 400, 'use_dpop_nonce')
    }
    clock.advance(301)
    expectError(await present(own), 400, 'use_dpop_nonce')
  })
})

describe('a DPoP proof', () => {
  it('works once', async () => {
    const host = await started()
    const holder = new KeyHolder(host)
    const { refresh_token } = await holder.connected()
    const proof = holder.proof()
    const next = bound(await host.refresh(refresh_token).set('DPoP', proof))
    expectError(await host.refresh(next.refresh_token).set('DPoP', proof), 400, 'invalid_dpop_proof')
    bound(await holder.refresh(next.refresh_token))
  })

  it('works once from the first to the last second in which it is taken', async () => {
    const clock = stopClock()
    const host = await started()
    const holder = new KeyHolder(host)
    const { refresh_token } = await holder.connected()
    const proof = holder.proof({ claims: { iat: now() + 300 } })
    const next = bound(await host.refresh(refresh_token).set('DPoP', proof))
    clock.advance(600)
    expectError(await host.refresh(next.refresh_token).set('DPoP', proof), 400, 'invalid_dpop_proof')
    bound(await holder.refresh(next.refresh_token))
  })

  it.each([0, 60])(
    'of requests at the same time works once, with a window of %d seconds',
    async (refreshRetryWindow) => {
      const host = await started({ refreshRetryWindow })
      const holder = new KeyHolder(host)
      const { refresh_token } = await holder.connected()
      const proof = holder.proof()
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => host.refresh(refresh_token).set('DPoP', proof)),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(19)
    },
  )

  it('is remembered for nobody without a credential of this server', async () => {
    const host = await started()
    const holder = new KeyHolder(host)
    const useOnce = jest.spyOn(host.tokenStore, 'useOnce')
    expectError(await holder.refresh(`csir_${'A'.repeat(84)}`), 400, 'invalid_grant')
    expect(useOnce).not.toHaveBeenCalled()
  })

  it('of a thief with another key is not remembered, however many come, and does not disturb the customer', async () => {
    const host = await started()
    const holder = new KeyHolder(host)
    const { refresh_token } = await holder.connected()
    const [useOnce, swap] = (['useOnce', 'swapCredential'] as const).map((name) => jest.spyOn(host.tokenStore, name))
    for (let request = 0; request < 50; request++) {
      expectError(await new KeyHolder(host).refresh(refresh_token), 400, 'invalid_grant')
    }
    expect(useOnce).not.toHaveBeenCalled()
    expect(swap).not.toHaveBeenCalled()
    bound(await holder.refresh(refresh_token))
  })

  it('that the store cannot remember loses no sign-in', async () => {
    const { store, next } = faultyStore()
    const host = await started({ tokenStore: store })
    const holder = new KeyHolder(host)
    const { refresh_token } = await holder.connected()
    next('useOnce', rejects)
    expectError(await holder.refresh(refresh_token), 503, 'temporarily_unavailable')
    bound(await holder.refresh(refresh_token))
  })

  it('costs those who send none no call of the store', async () => {
    const host = await started()
    const useOnce = jest.spyOn(host.tokenStore, 'useOnce')
    const { refresh_token } = await host.connected()
    expectTokens(await host.refresh(refresh_token))
    expect(useOnce).not.toHaveBeenCalled()
  })

  it('takes its address in any normal form, with any query', async () => {
    const host = await started({ refreshRetryWindow: 60 })
    const holder = new KeyHolder(host)
    const { refresh_token } = await holder.connected()
    const url = holderUrl(holder)
    for (const htu of [`${url}?a=b#c`, url.replace('http', 'HTTP'), url.replace('acme', '%61cme')]) {
      bound(await host.refresh(refresh_token).set('DPoP', holder.proof({ claims: { htu } })))
    }
  })
})
