import { once } from 'node:events'
import { connect } from 'node:net'
import { MemoryTokenStore } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../support/clock'
import { recordOf, recordsOf } from '../../support/records'
import { eventually } from '../../support/redis-server'
import { clientId, expectError, expectTokens, formBody, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'
import { head } from '../http/raw-request'

const refused = async (response: ReturnType<TestSignIn['refresh']>) => expectError(await response, 400, 'invalid_grant')

afterEach(releaseClock)

describe('a replay', () => {
  it('ends the grant of a used refresh token', async () => {
    const clock = stopClock()
    const host = await started()
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    clock.advance(60)
    expect(await refused(host.refresh(first.refresh_token))).toBe('The refresh token has been used already')
    await refused(host.refresh(second.refresh_token))
    expect(await recordsOf(host.tokenStore)).toEqual([])
  })

  it('ends the grant of a used code, if it comes with its verifier', async () => {
    const clock = stopClock()
    const host = await started()
    const signedIn = await host.asCustomer()
    const tokens = expectTokens(await host.exchange(signedIn))
    clock.advance(60)
    expect(await refused(host.exchange(signedIn))).toBe('The authorization code has been used already')
    await refused(host.refresh(tokens.refresh_token))
  })

  it('ends the access tokens wherever revocation is checked', async () => {
    const host = await started({ replayTolerance: 0 })
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    const checked = { tenantKey: 'acme', checkRevocation: true }
    await host.signIn.verifyAccessToken(second.access_token, checked)
    await refused(host.refresh(first.refresh_token))
    for (const { access_token } of [first, second]) {
      await expect(host.signIn.verifyAccessToken(access_token, checked)).rejects.toMatchObject({
        code: 'invalid_token',
        status: 401,
      })
      await host.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    }
  })

  it('is judged by the time when that very refresh token was used, not a later one', async () => {
    const clock = stopClock()
    const host = await started({ replayTolerance: 60 })
    let tokens = await host.connected()
    const used: string[] = []
    for (let refresh = 0; refresh < 5; refresh++) {
      used.push(tokens.refresh_token)
      tokens = expectTokens(await host.refresh(tokens.refresh_token))
      clock.advance(10)
    }
    for (const refreshToken of used) await refused(host.refresh(refreshToken))
    expect(await host.told('replayed')).toMatchObject([50, 40, 30, 20, 10].map((age) => ({ ended: false, age })))
    clock.advance(19.999)
    await refused(host.refresh(used[1] ?? ''))
    expect(await recordsOf(host.tokenStore)).toHaveLength(1)
    await refused(host.refresh(used[0] ?? ''))
    await refused(host.refresh(tokens.refresh_token))
  })

  it('of a code is judged by the time when that was used, even if its refresh token has been used too', async () => {
    const clock = stopClock()
    const host = await started({ replayTolerance: 60 })
    const signedIn = await host.asCustomer()
    const first = expectTokens(await host.exchange(signedIn))
    clock.advance(30)
    const second = expectTokens(await host.refresh(first.refresh_token))
    clock.advance(29.999)
    await refused(host.exchange(signedIn))
    const third = expectTokens(await host.refresh(second.refresh_token))
    clock.advance(0.001)
    await refused(host.exchange(signedIn))
    await refused(host.refresh(third.refresh_token))
  })

  it('of a token that was used more than 16 refreshes ago ends the grant, however soon it comes', async () => {
    stopClock()
    const host = await started({ replayTolerance: 60 })
    const used: string[] = []
    let tokens = await host.connected()
    for (let refresh = 0; refresh < 17; refresh++) {
      used.push(tokens.refresh_token)
      tokens = expectTokens(await host.refresh(tokens.refresh_token))
    }
    await refused(host.refresh(used[1] ?? ''))
    await refused(host.refresh(used[0] ?? ''))
    await refused(host.refresh(tokens.refresh_token))
    expect(await host.told('replayed')).toMatchObject([
      { ended: false, age: 0, successorUsed: true },
      { ended: true, age: undefined, successorUsed: true },
    ])
  })

  it('is reported with whether the client has ever used the tokens that it received', async () => {
    const clock = stopClock()
    const host = await started()
    const first = await host.connected()
    await host.refresh(first.refresh_token)
    clock.advance(3600)
    await refused(host.refresh(first.refresh_token))
    expect(await host.told('replayed')).toMatchObject([{ ended: true, age: 3600, successorUsed: false }])
    expect(await host.told('denied')).toMatchObject([{ reason: 'replayed' }])
  })

  it.each(['refresh token', 'code'])('ends no grant if the client has hung up before its %s is read', async (what) => {
    const clock = stopClock()
    const host = await started()
    const signedIn = await host.asCustomer()
    const first = expectTokens(await host.exchange(signedIn))
    const second = expectTokens(await host.refresh(first.refresh_token))
    clock.advance(3600)
    const { hostname, port, pathname } = new URL(`${host.issuer()}/token`)
    const ofToken = { grant_type: 'refresh_token', client_id: clientId, refresh_token: first.refresh_token }
    const { code, codeVerifier: code_verifier } = signedIn
    const ofCode = {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier,
      redirect_uri: redirectUri,
    }
    const body = formBody(what === 'code' ? ofCode : ofToken)
    const type = 'application/x-www-form-urlencoded'
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const headers = { 'Content-Type': type, 'Content-Length': String(body).length }
    socket.write(head(`POST ${pathname}`, headers) + String(body))
    socket.destroy()
    await eventually(async () => (await host.told('replayed')).length > 0)
    expect(await host.told('replayed')).toMatchObject([{ ended: false }])
    expectTokens(await host.refresh(second.refresh_token))
  })

  it('ends no grant if the client has hung up, because its late request is no sign of theft', async () => {
    const clock = stopClock()
    const memory = new MemoryTokenStore()
    let whileSwapping: (() => Promise<void>) | undefined
    const tokenStore = wrapStore(memory, async ({ method, apply }) => {
      const late = whileSwapping
      if (method === 'swapCredential' && late) {
        whileSwapping = undefined
        await late()
      }
      return apply()
    })
    const host = await started({ tokenStore })
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    clock.advance(3600)
    const hangUp = new AbortController()
    const closed = new Promise<void>((resolve) => {
      host.onRequest = (req) => req.socket.once('close', () => resolve())
    })
    whileSwapping = async () => {
      hangUp.abort()
      await closed
    }
    const body = formBody({ grant_type: 'refresh_token', client_id: clientId, refresh_token: first.refresh_token })
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const request = { method: 'POST', body, headers, signal: hangUp.signal }
    await expect(fetch(`${host.issuer()}/token`, request)).rejects.toThrow('aborted')
    await eventually(async () => (await host.told('replayed')).length > 0)
    expect(await host.told('replayed')).toMatchObject([{ ended: false }])
    expectTokens(await host.refresh(second.refresh_token))
  })

  it('ends the grant also if it asks for a narrower scope', async () => {
    const host = await started({ replayTolerance: 0 })
    const first = await host.connected()
    const second = expectTokens(await host.refresh(first.refresh_token))
    await refused(host.refresh(first.refresh_token, { scope: 'profile' }))
    await refused(host.refresh(second.refresh_token))
  })

  it('does not change other grants of the same customer and client', async () => {
    const host = await started({ replayTolerance: 0 })
    const first = await host.connected()
    const other = await host.connected()
    await host.refresh(first.refresh_token)
    await refused(host.refresh(first.refresh_token))
    expectTokens(await host.refresh(other.refresh_token))
  })

  it('is reported once, with the grant that it ended', async () => {
    stopClock()
    const host = await started({ replayTolerance: 0 })
    const signedIn = await host.asCustomer()
    await host.exchange(signedIn)
    const { grantId } = await recordOf(host.tokenStore)
    await refused(host.exchange(signedIn))
    await refused(host.exchange(signedIn))
    expect(await host.told('replayed')).toEqual([
      {
        at: expect.any(Number),
        type: 'replayed',
        credential: 'code',
        ended: true,
        tenantKey: 'acme',
        tenantId: 'acme',
        grantId,
        clientId: 'assistant-app',
        subject: 'customer-1',
        age: 0,
        successorUsed: false,
      },
    ])
  })
})

describe('replayTolerance', () => {
  // A used credential: how to present it again, and the tokens that its use gave.
  const used = {
    code: async (host: TestSignIn) => {
      const signedIn = await host.asCustomer()
      const tokens = expectTokens(await host.exchange(signedIn))
      return { again: () => host.exchange(signedIn), tokens }
    },
    refresh_token: async (host: TestSignIn) => {
      const first = await host.connected()
      const tokens = expectTokens(await host.refresh(first.refresh_token))
      return { again: () => host.refresh(first.refresh_token), tokens }
    },
  }

  describe.each(['code', 'refresh_token'] as const)('for a %s', (kind) => {
    it('refuses it for 10 seconds after its use, without ending the grant', async () => {
      const clock = stopClock()
      const host = await started()
      const { again, tokens } = await used[kind](host)
      const before = await recordOf(host.tokenStore)
      await refused(again())
      clock.advance(9.999)
      await refused(again())
      expect(await recordOf(host.tokenStore)).toEqual(before)
      expectTokens(await host.refresh(tokens.refresh_token))
      const told = await host.told('replayed')
      expect(told.map(({ credential, ended }) => ({ credential, ended }))).toEqual([
        { credential: kind, ended: false },
        { credential: kind, ended: false },
      ])
    })

    it('ends the grant from 10 seconds on', async () => {
      const clock = stopClock()
      const host = await started()
      const { again, tokens } = await used[kind](host)
      clock.advance(10)
      await refused(again())
      await refused(host.refresh(tokens.refresh_token))
    })

    it('is not extended by a repeat that it has tolerated', async () => {
      const clock = stopClock()
      const host = await started()
      const { again, tokens } = await used[kind](host)
      clock.advance(9)
      await refused(again())
      clock.advance(1)
      await refused(again())
      await refused(host.refresh(tokens.refresh_token))
    })

    it('ends the grant at once if it is 0', async () => {
      stopClock()
      const host = await started({ replayTolerance: 0 })
      const { again, tokens } = await used[kind](host)
      await refused(again())
      await refused(host.refresh(tokens.refresh_token))
    })

    it('lasts as long as the host says', async () => {
      const clock = stopClock()
      const host = await started({ replayTolerance: 60 })
      const { again, tokens } = await used[kind](host)
      clock.advance(59.999)
      await refused(again())
      expect(await recordsOf(host.tokenStore)).toHaveLength(1)
      clock.advance(0.001)
      await refused(again())
      await refused(host.refresh(tokens.refresh_token))
    })
  })
})
