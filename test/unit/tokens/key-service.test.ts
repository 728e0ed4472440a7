import { createPublicKey } from 'node:crypto'
import type { SigningAlgorithm } from 'customer-sign-in'
import request, { type Response } from 'supertest'
import { releaseClock, stopClock } from '../../support/clock'
import { readToken } from '../../support/forged-token'
import { KeyService } from '../../support/key-service'
import { kinds, liveCredential } from '../../support/redemptions'
import { expectError, expectTokens, signingKey } from '../../support/sign-in'
import { started } from '../../support/started'

const inAcme = { tenantKey: 'acme' }
const strict = { refreshRetryWindow: 0, replayTolerance: 0, keys: { credentialSecrets: ['0123456789'.repeat(4)] } }

const services: KeyService[] = []
afterAll(() => Promise.all(services.map((service) => service.stop())))

async function startedService(...settings: Parameters<typeof KeyService.start>): Promise<KeyService> {
  const service = await KeyService.start(...settings)
  services.push(service)
  return service
}

describe.each([
  ['ES256', 'der'],
  ['ES256', 'ieee-p1363'],
  ['ES384', 'der'],
  ['RS256', 'der'],
  ['PS256', 'der'],
] satisfies [SigningAlgorithm, 'der' | 'ieee-p1363'][])(
  'a key for %s in a service that answers in %s',
  (alg, encoding) => {
    let service: KeyService
    beforeAll(async () => {
      service = await startedService(alg, encoding)
    })

    it('signs access tokens that verify with the published key', async () => {
      const host = await started(strict, { keys: { signing: [service.signingKey] } })
      const { access_token, refresh_token } = await host.connected()
      const { refresh_token: next, ...refreshed } = expectTokens(await host.refresh(refresh_token))
      expect(next).not.toBe(refresh_token)
      const { body } = await request(host.url).get('/v1/acme/oauth/jwks')
      expect(body.keys).toEqual([expect.objectContaining({ alg, use: 'sig' })])
      expect(createPublicKey({ key: body.keys[0], format: 'jwk' }).equals(service.publicKey)).toBe(true)
      for (const token of [access_token, refreshed.access_token]) {
        expect(readToken(token).header).toEqual({ alg, typ: 'at+jwt', kid: body.keys[0].kid })
        await host.signIn.verifyAccessToken(token, inAcme)
      }
    })
  },
)

describe('a signer that fails', () => {
  // On a busy machine, the service must answer sooner.
  const hostTimeout = 60
  let service: KeyService
  beforeAll(async () => {
    service = await startedService()
  })
  afterEach(() => service.become('signs'))

  const moods = ['fails', 'hangs', 'signs with another key'] as const

  /** The answers to requests for which the service hangs: as soon as it has them, the time of the host passes. */
  async function givenUp(...requests: (() => PromiseLike<Response>)[]): Promise<Response[]> {
    await service.become('hangs')
    const clock = stopClock({ timers: true })
    const held = service.holds(requests.length)
    const answers = Promise.all(requests.map((send) => send()))
    await held
    clock.advance(hostTimeout)
    return answers.finally(releaseClock)
  }

  describe.each(kinds)('while a %s is redeemed', (kind) => {
    it.each(moods)('costs the client nothing: the service %s', async (mood) => {
      const host = await started(strict, { keys: { signing: [service.signingKey] }, hostTimeout })
      const redeem = await liveCredential[kind](host)
      await service.become(mood)
      const [refused] = mood === 'hangs' ? await givenUp(redeem) : [await redeem()]
      expectError(refused as Response, 503, 'temporarily_unavailable')
      expect(refused?.headers['retry-after']).toBe('1')
      await service.become('signs')
      const { refresh_token } = expectTokens(await redeem())
      expectTokens(await host.refresh(refresh_token))
    })
  })

  it('costs a client nothing that does not wait for the answer, and presents its refresh token again', async () => {
    const host = await started(strict, { keys: { signing: [service.signingKey] }, hostTimeout })
    const { refresh_token } = await host.connected()
    const refresh = () => host.refresh(refresh_token)
    const answers = await givenUp(refresh, refresh)
    for (const answer of answers) expectError(answer, 503, 'temporarily_unavailable')
    await service.become('signs')
    expectTokens(await host.refresh(refresh_token))
  })

  it('whose service is gone costs the client nothing', async () => {
    const gone = await startedService()
    const host = await started(strict, { keys: { signing: [gone.signingKey] } })
    const { refresh_token } = await host.connected()
    await gone.stop()
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    await host.signIn.setKeys({ signing: [signingKey, gone.signingKey] })
    expectTokens(await host.refresh(refresh_token))
  })
})
