import { decode } from 'jsonwebtoken'
import { Authorization, asTheySay } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { bound, KeyHolder } from '../../support/key-holder'
import { recordOf, recordsOf } from '../../support/records'
import { clientId, expectError, expectTokens, redirectUri, tenants } from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'

const hour = 3600
const day = 24 * hour

afterEach(releaseClock)

async function connected(options: TestOptions = {}) {
  const clock = stopClock()
  const host = await started(options)
  const holder = new KeyHolder(host)
  return { clock, host, holder, first: await holder.connected() }
}

describe('a refresh token that is bound to a key', () => {
  it('gives tokens that are bound to it, and say so', async () => {
    const { holder, first } = await connected()
    for (const { access_token, token_type } of [first, bound(await holder.refresh(first.refresh_token))]) {
      expect(token_type).toBe('DPoP')
      expect(decode(access_token)).toMatchObject({ cnf: { jkt: holder.key.thumbprint } })
    }
  })

  it('is nothing to a thief who has it and every request of its client, at once and a day later', async () => {
    const { clock, host, holder, first } = await connected({ refreshRetryWindow: 300 })
    const seen: string[] = []
    const steal = async (refreshToken: string) => {
      const thief = new KeyHolder(host)
      expectError(await host.refresh(refreshToken), 400, 'invalid_dpop_proof')
      expectError(await thief.refresh(refreshToken), 400, 'invalid_grant')
      for (const proof of seen) {
        const { body, status } = await host.refresh(refreshToken).set('DPoP', proof)
        expect([status, body.error]).toEqual([400, expect.stringMatching(/^(invalid_dpop_proof|use_dpop_nonce)$/)])
      }
    }
    let { refresh_token } = first
    for (const seconds of [1, 299, 2 * hour, day, 2 * day]) {
      clock.advance(seconds)
      await steal(first.refresh_token)
      await steal(refresh_token)
      const proof = holder.proof()
      const next = bound(await host.refresh(refresh_token).set('DPoP', proof))
      seen.push(proof)
      await steal(refresh_token)
      refresh_token = next.refresh_token
    }
    expect(await host.told('revoked')).toEqual([])
    expect(await recordsOf(host.tokenStore)).toHaveLength(1)
    bound(await holder.refresh(refresh_token))
  })

  it('says to the host alone that no key or another one was tried', async () => {
    const { host, first } = await connected()
    expectError(await host.refresh(first.refresh_token), 400, 'invalid_dpop_proof')
    const description = expectError(await new KeyHolder(host).refresh(first.refresh_token), 400, 'invalid_grant')
    expect(description).toBe('The refresh token is unknown or has expired')
    const { grantId } = await recordOf(host.tokenStore)
    expect(await host.told('denied')).toMatchObject([
      { reason: 'no_proof' },
      { reason: 'wrong_key', grantId, clientId },
    ])
  })

  it('is answered for a day after its use, if its client comes with it again', async () => {
    const { clock, host, holder, first } = await connected({ refreshRetryWindow: 300 })
    clock.advance(2 * hour)
    const second = bound(await holder.refresh(first.refresh_token))
    clock.advance(day - 1)
    expect(bound(await holder.refresh(first.refresh_token)).refresh_token).toBe(second.refresh_token)
    const [retried] = await host.told('retried')
    expect(retried).toMatchObject({ bound: true, age: day - 1, successorUsed: false })
    clock.advance(1)
    expectError(await holder.refresh(first.refresh_token), 400, 'invalid_grant')
    expect(await host.told('revoked')).toEqual([])
    bound(await holder.refresh(second.refresh_token))
  })

  it('that was used long ago is refused, and ends nothing', async () => {
    const { clock, host, holder, first } = await connected({ refreshRetryWindow: 300 })
    let last = first
    for (let step = 0; step < 20; step++) {
      clock.advance(2 * hour)
      last = bound(await holder.refresh(last.refresh_token))
    }
    expectError(await holder.refresh(first.refresh_token), 400, 'invalid_grant')
    expect(await host.told('replayed')).toMatchObject([{ ended: false, bound: true }])
    bound(await holder.refresh(last.refresh_token))
  })

  it('has no window if there is none', async () => {
    const { clock, holder, first } = await connected({ refreshRetryWindow: 0 })
    const second = bound(await holder.refresh(first.refresh_token))
    clock.advance(60)
    expectError(await holder.refresh(first.refresh_token), 400, 'invalid_grant')
    bound(await holder.refresh(second.refresh_token))
  })

  it('can be revoked by its client without a proof', async () => {
    const { host, first } = await connected()
    await host.revoke({ token: first.refresh_token }).expect(200)
    expect(await recordsOf(host.tokenStore)).toEqual([])
  })

  it('is another credential if what it says of its key is changed', async () => {
    const { host, holder, first } = await connected()
    const bytes = Buffer.from(first.refresh_token.slice(5), 'base64url')
    for (const flags of [0, 1, 2, 3]) {
      bytes.writeUInt8(flags, 25 + 16)
      const changed = `csir_${bytes.toString('base64url')}`
      expectError(await host.refresh(changed), 400, 'invalid_grant')
      expectError(await holder.refresh(changed), 400, 'invalid_grant')
    }
    bound(await holder.refresh(first.refresh_token))
  })
})

describe('a refresh token that is not bound', () => {
  it('gets a bound successor if it comes with a proof, and never the reverse', async () => {
    const clock = stopClock()
    const host = await started()
    const first = await host.connected()
    const holder = new KeyHolder(host)
    clock.advance(2 * hour)
    const second = bound(await holder.refresh(first.refresh_token))
    expectError(await host.refresh(second.refresh_token), 400, 'invalid_dpop_proof')
    clock.advance(2 * hour)
    bound(await holder.refresh(second.refresh_token))
  })

  it('that was used is answered with the bound one for its client alone', async () => {
    const clock = stopClock()
    const host = await started({ refreshRetryWindow: 300 })
    const first = await host.connected()
    const holder = new KeyHolder(host)
    clock.advance(2 * hour)
    const second = bound(await holder.refresh(first.refresh_token))
    clock.advance(60)
    expect(bound(await holder.refresh(first.refresh_token)).refresh_token).toBe(second.refresh_token)
    expectError(await host.refresh(first.refresh_token), 400, 'invalid_grant')
    expectError(await new KeyHolder(host).refresh(first.refresh_token), 400, 'invalid_grant')
    bound(await holder.refresh(second.refresh_token))
  })

  it('that was used without a proof is answered with its successor also if it comes again with one', async () => {
    const host = await started({ refreshRetryWindow: 300 })
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    const again = bound(await new KeyHolder(host).refresh(first.refresh_token))
    expect(again.refresh_token).toBe(second.refresh_token)
  })

  it('still ends its grant if it is used again after its window', async () => {
    const clock = stopClock()
    const host = await started({ refreshRetryWindow: 300 })
    const first = await host.connected()
    clock.advance(2 * hour)
    bound(await new KeyHolder(host).refresh(first.refresh_token))
    clock.advance(hour)
    expectError(await host.refresh(first.refresh_token), 400, 'invalid_grant')
    expect(await host.told('replayed')).toMatchObject([{ ended: true }])
  })
})

describe('a code', () => {
  it('with a dpop_jkt is redeemed with that key alone', async () => {
    const host = await started()
    const holder = new KeyHolder(host)
    const signedIn = await host.asCustomer({ dpopJkt: holder.key.thumbprint })
    expectError(await host.exchange(signedIn), 400, 'invalid_dpop_proof')
    const description = expectError(await new KeyHolder(host).proving(host.exchange(signedIn)), 400, 'invalid_grant')
    expect(description).toBe('The authorization code was requested with another dpop_jkt')
    bound(await holder.proving(host.exchange(signedIn)))
  })

  it('with a dpop_jkt in the authorization request is redeemed with that key alone', async () => {
    const host = await started({ authenticate: asTheySay })
    const holder = new KeyHolder(host)
    const signedIn = await new Authorization(host, { dpop_jkt: holder.key.thumbprint }).allowed()
    expectError(await host.exchange(signedIn), 400, 'invalid_dpop_proof')
    bound(await holder.proving(host.exchange(signedIn)))
  })

  it('says what else differs to the holder of its key', async () => {
    const host = await started()
    const holder = new KeyHolder(host)
    const signedIn = await host.asCustomer({ dpopJkt: holder.key.thumbprint })
    const wrong = { ...signedIn, codeVerifier: 'v'.repeat(43) }
    const description = expectError(await holder.proving(host.exchange(wrong)), 400, 'invalid_grant')
    expect(description).toContain('code_verifier')
    bound(await holder.proving(host.exchange(signedIn)))
  })

  it('with a dpop_jkt that is no thumbprint is not issued', async () => {
    const host = await started()
    await expect(host.asCustomer({ dpopJkt: 'key' })).rejects.toMatchObject({
      code: 'invalid_request',
      description: 'dpop_jkt must be 43 base64url characters',
    })
  })
})

describe('a client that says it always proves a key', () => {
  const always = { clientId, redirectUris: [redirectUri], dpopBoundAccessTokens: true }

  it.each(['company', 'registration'])('gets nothing without a proof: it says so in its %s', async (where) => {
    const host = await started({ tenantStore: { findTenant: () => ({ key: 'acme', clients: [always] }) } })
    const id = where === 'company' ? clientId : await registered(host.issuer())
    const holder = new KeyHolder(host)
    const signedIn = await host.asCustomer({ clientId: id })
    const overrides = { client_id: id }
    expectError(await host.exchange(signedIn, overrides), 400, 'invalid_dpop_proof')
    const first = bound(await holder.proving(host.exchange(signedIn, overrides)))
    expectError(await host.refresh(first.refresh_token, overrides), 400, 'invalid_dpop_proof')
    bound(await holder.refresh(first.refresh_token, overrides))
  })

  async function registered(issuer: string): Promise<string> {
    const body = JSON.stringify({ redirect_uris: [redirectUri], dpop_bound_access_tokens: true })
    const headers = { 'Content-Type': 'application/json' }
    const answer = await (await fetch(`${issuer}/register`, { method: 'POST', headers, body })).json()
    expect(answer).toMatchObject({ dpop_bound_access_tokens: true })
    return Object(answer).client_id
  }
})

describe('requireDpop', () => {
  it('refuses what has no proof, and ends nothing', async () => {
    const [acme] = tenants
    let requireDpop = false
    const host = await started({ tenantStore: { findTenant: () => ({ ...acme, key: 'acme', requireDpop }) } })
    const first = await host.connected()
    const early = await host.asCustomer()
    requireDpop = true
    expectError(await host.refresh(first.refresh_token), 400, 'invalid_dpop_proof')
    expectError(await host.exchange(early), 400, 'invalid_dpop_proof')
    expectError(await host.exchange(await host.asCustomer()), 400, 'invalid_dpop_proof')
    expect(await host.told('denied')).toMatchObject(Array(3).fill({ reason: 'no_proof', detail: { clientId } }))
    bound(await new KeyHolder(host).refresh(first.refresh_token))
    await new KeyHolder(host).connected()
    requireDpop = false
    expectTokens(await host.exchange(await host.asCustomer()))
  })
})
