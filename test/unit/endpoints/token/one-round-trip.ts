import type { TokenStore } from 'customer-sign-in/store'
import { expectTokens } from '../../../support/sign-in'
import { wrapStore } from '../../../support/wrap-store'
import type { CreateTokenStore, Start } from './start'

export function oneRoundTrip(start: Start, createTokenStore: CreateTokenStore): void {
  /** A host that records the calls of its store. */
  async function noting(options: Parameters<Start>[0] = {}) {
    const asked: (keyof TokenStore)[] = []
    const tokenStore = wrapStore(await createTokenStore(), ({ method, apply }) => {
      asked.push(method)
      return apply()
    })
    const host = await start({ ...options, tokenStore })
    return { host, asked: () => asked.splice(0) }
  }

  it('calls the store once, also if it names a resource', async () => {
    const { host, asked } = await noting()
    const signedIn = await host.asCustomer()
    asked()
    const { refresh_token } = expectTokens(await host.exchange(signedIn, { resource: host.issuer() }))
    expect(asked()).toEqual(['swapCredential'])
    expectTokens(await host.refresh(refresh_token, { resource: host.issuer() }))
    expect(asked()).toEqual(['swapCredential'])
  })

  it('reads the grant first if it narrows the scope', async () => {
    const { host, asked } = await noting()
    const { refresh_token } = await host.connected()
    asked()
    expectTokens(await host.refresh(refresh_token, { scope: 'profile' }))
    expect(asked()).toEqual(['findGrant', 'swapCredential'])
  })

  it('reads the grant first if accessTokenClaims is set', async () => {
    const { host, asked } = await noting({ accessTokenClaims: () => ({}) })
    const signedIn = await host.asCustomer()
    asked()
    expectTokens(await host.exchange(signedIn))
    expect(asked()).toEqual(['findGrant', 'swapCredential'])
  })

  it('that is malformed does not call the store', async () => {
    const { host, asked } = await noting()
    const signedIn = await host.asCustomer()
    asked()
    await host.exchange(signedIn, { code: 'csic_' })
    await host.exchange(signedIn, { code_verifier: 'short' })
    await host.exchange(signedIn, { resource: 'no URL' })
    await host.exchange(signedIn, { grant_type: 'password' })
    expect(asked()).toEqual([])
  })
}
