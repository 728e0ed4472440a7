import { MemoryTokenStore } from 'customer-sign-in'
import request from 'supertest'
import { Authorization, asTheySay, expectRedirect } from '../support/authorization'
import { releaseClock, stopClock } from '../support/clock'
import { consentForm } from '../support/consent-form'
import { expectTokens, type TestSignIn } from '../support/sign-in'
import { started } from '../support/started'
import { wrapStore } from '../support/wrap-store'

const signedIn = (options: object = {}) => started({ authenticate: asTheySay, ...options })
const grantsAt = (host: TestSignIn) => host.tokenStore.listGrants('acme', 'customer-1')

afterEach(releaseClock)

describe('a button that is pressed twice', () => {
  it('gives one code', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const form = await authorization.form()
    const [first, second] = [await authorization.answer(form), await authorization.answer(form)]
    expect(expectRedirect(second).href).toBe(expectRedirect(first).href)
    expect(await grantsAt(host)).toHaveLength(1)
    expectTokens(await host.exchange(authorization.signedIn(second)))
  })

  it('gives one code, also in parallel and over a slow store', async () => {
    const tokenStore = wrapStore(new MemoryTokenStore(), async ({ apply }) => {
      await new Promise((resolve) => setImmediate(resolve))
      return apply()
    })
    const host = await signedIn({ tokenStore })
    const authorization = new Authorization(host)
    const form = await authorization.form()
    const responses = await Promise.all(Array.from({ length: 20 }, () => authorization.answer(form)))
    expect(new Set(responses.map((response) => expectRedirect(response).href)).size).toBe(1)
    expect(await grantsAt(host)).toHaveLength(1)
  })

  it('asks anew once the code has been redeemed, and ends nothing', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const form = await authorization.form()
    const tokens = expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(form))))
    const { href } = expectRedirect(await authorization.answer(form))
    expect(href).toBe(`${host.issuer()}/authorize?${authorization.query}`)
    consentForm(await request(href).get('').expect(200))
    expectTokens(await host.refresh(tokens.refresh_token))
    expect(await grantsAt(host)).toHaveLength(1)
  })

  it('gives a code that redeems, although the first has expired', async () => {
    const clock = stopClock()
    const host = await signedIn()
    const authorization = new Authorization(host)
    const form = await authorization.form()
    await authorization.answer(form)
    clock.advance(61)
    expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(form))))
  })

  it('gives two codes on two pages of the same request', async () => {
    const host = await signedIn()
    const authorization = new Authorization(host)
    const [first, second] = [await authorization.allowed(), await authorization.allowed()]
    expect(second.code).not.toBe(first.code)
    for (const each of [first, second]) expectTokens(await host.exchange(each))
  })
})
