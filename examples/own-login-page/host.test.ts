import { testSignIn } from 'customer-sign-in/testing'
import request from 'supertest'
import { createApp, demo, settings } from './host'

const baseUrl = 'http://localhost'
const signIn = testSignIn({ ...settings, baseUrl })
const app = createApp(signIn, baseUrl)

const authorizePath = `/v1/acme/oauth/authorize?${new URLSearchParams({
  response_type: 'code',
  client_id: demo.clientId,
  redirect_uri: 'http://localhost/arrived',
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
})}`

describe('a customer who connects the demo app', () => {
  it('logs in, agrees, and is sent back with a code', async () => {
    const browser = request.agent(app)
    const asked = await browser.get(authorizePath).expect(303)
    const loggedIn = await browser
      .post(asked.headers.location ?? '')
      .type('form')
      .send({ email: 'ada@example.com' })
    expect(loggedIn.headers.location).toBe(baseUrl + authorizePath)

    const page = await browser.get(authorizePath).expect(200)
    expect(page.text).toContain('Ada Lovelace')
    const [, consent_token] = /name="consent_token" value="([^"]+)"/.exec(page.text) ?? []
    const form = { consent_token, decision: 'allow' }
    const allowed = await browser.post(authorizePath).type('form').set('Origin', baseUrl).send(form).expect(303)
    expect(allowed.headers.location).toMatch(/^http:\/\/localhost\/arrived\?code=csic_/)
    expect(signIn.events).toContainEqual(expect.objectContaining({ type: 'allowed', subject: 'cus_W2kq8ZpX4nTb' }))
  })

  it('is asked again if the consent page is ten minutes old', async () => {
    const browser = request.agent(app)
    await browser.post('/login').type('form').send({ email: 'ada@example.com' })
    const page = await browser.get(authorizePath).expect(200)
    signIn.clock.advance(600)
    const [, consent_token] = /name="consent_token" value="([^"]+)"/.exec(page.text) ?? []
    const form = { consent_token, decision: 'allow' }
    await browser.post(authorizePath).type('form').set('Origin', baseUrl).send(form).expect(200)
  })
})
