// login.test.ts

import { testSignIn } from 'customer-sign-in/testing'
import type { Request, Response } from 'express'
import express from 'express'
import request from 'supertest'

const signIn = testSignIn({
  authenticate(req: Request, res: Response, { url }) {
    if (req.get('Cookie') === 'session=ada') return { subject: 'cus_W2kq8ZpX4nTb', name: 'Ada Lovelace' }
    return res.redirect(303, `/login?next=${encodeURIComponent(url)}`)
  },
})
const app = express()
app.use(signIn)

const query = {
  response_type: 'code',
  client_id: 'test-client',
  redirect_uri: 'https://client.test/callback',
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
}
const authorize = () => request(app).get('/v1/acme/oauth/authorize').query(query)

it('asks customers to log in', async () => {
  const { headers } = await authorize().expect(303)
  expect(headers.location).toMatch(/^\/login\?next=/)
})

it('asks customers who are logged in for their consent', async () => {
  const { text } = await authorize().set('Cookie', 'session=ada').expect(200)
  expect(text).toContain('Ada Lovelace')
})
