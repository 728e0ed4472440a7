// app.test.ts
import { testSignIn, tokensFor } from 'customer-sign-in/testing'
import request from 'supertest'
import { createApp, settings } from './app'

const ada = { tenantKey: 'acme', subject: 'cus_W2kq8ZpX4nTb' }
const signIn = testSignIn(settings)
const app = createApp(signIn)
const bookings = (token: string) => request(app).get('/v1/acme/bookings').auth(token, { type: 'bearer' })

it('shows customers their own bookings', async () => {
  const { accessToken } = await tokensFor(signIn, ada)
  expect((await bookings(accessToken).expect(200)).body).toEqual({ customer: 'cus_W2kq8ZpX4nTb' })
})

it.each(['expired', 'revoked', 'ofAnotherTenant', 'forged'] as const)('refuses a token that is %s', async (fault) => {
  const { accessToken } = await tokensFor[fault](signIn, ada)
  await bookings(accessToken).expect(401)
})

it('refuses a token without the scope', async () => {
  const { accessToken } = await tokensFor(signIn, { ...ada, scopes: 'profile' })
  await bookings(accessToken).expect(403)
})

it('goes on after a refresh, and ends with the grant', async () => {
  const first = await tokensFor(signIn, ada)
  signIn.clock.advance(first.expiresIn)
  await bookings(first.accessToken).expect(401)

  const second = await first.refresh()
  await bookings(second.accessToken).expect(200)

  await signIn.grants.revoke({ ...ada, grantId: second.grantId })
  await bookings(second.accessToken).expect(401)
  expect(signIn.events.map(({ type }) => type)).toContain('revoked')
})
