import { testSignIn, tokensFor } from 'customer-sign-in/testing'
import request from 'supertest'
import { createApp, settings } from './host'

const ada = { tenantKey: 'acme', subject: 'cus_W2kq8ZpX4nTb' }
const signIn = testSignIn(settings)
const app = createApp(signIn, 'https://app.test')
const bookings = (token: string) => request(app).get('/v1/acme/bookings').auth(token, { type: 'bearer' })

describe('the bookings', () => {
  it('are shown to their customer', async () => {
    const { accessToken } = await tokensFor(signIn, { ...ada, scopes: 'bookings' })
    const { body } = await bookings(accessToken).expect(200)
    expect(body).toEqual({ customer: 'cus_W2kq8ZpX4nTb', bookings: ['London to Turin, seat 12A'] })
  })

  it('are not shown to another customer', async () => {
    const { accessToken } = await tokensFor(signIn, { ...ada, subject: 'cus_hT7rMv0yQs9D' })
    expect((await bookings(accessToken)).body).toEqual({ customer: 'cus_hT7rMv0yQs9D', bookings: [] })
  })

  it('are not shown to a client that the customer has not allowed to see them', async () => {
    const { accessToken } = await tokensFor(signIn, { ...ada, scopes: 'profile' })
    await bookings(accessToken).expect(403)
  })

  it.each(['expired', 'revoked', 'ofAnotherTenant', 'forged'] as const)(
    'are not shown for a token that is %s',
    async (fault) => {
      const { accessToken } = await tokensFor[fault](signIn, ada)
      await bookings(accessToken).expect(401)
    },
  )

  it('are shown after a refresh, until somebody else uses the refresh token', async () => {
    const first = await tokensFor(signIn, { ...ada, clientId: 'travel-assistant' })
    signIn.clock.advance(first.expiresIn)
    const second = await first.refresh()
    await bookings(second.accessToken).expect(200)

    signIn.clock.advance(11)
    await expect(first.refresh()).rejects.toMatchObject({ code: 'invalid_grant' })
    await bookings(second.accessToken).expect(401)
  })
})
