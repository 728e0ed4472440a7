import { testSignIn, tokensFor } from 'customer-sign-in/testing'
import request, { type Test } from 'supertest'
import { createApp, settings } from './host'

const ada = { tenantKey: 'acme', subject: 'Ada' }
const signIn = testSignIn(settings)
const app = createApp(signIn, 'https://app.test')

/** An assistant calls a tool of Acme's MCP server. */
function call(tool: string, accessToken: string): Test {
  return request(app)
    .post('/v1/acme/mcp')
    .auth(accessToken, { type: 'bearer' })
    .set('Accept', 'application/json, text/event-stream')
    .send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: {} } })
}

describe('the MCP server', () => {
  it('knows for whom it acts', async () => {
    const { accessToken } = await tokensFor(signIn, { ...ada, scopes: 'profile' })
    const { body } = await call('who_am_i', accessToken).expect(200)
    expect(body.result.content).toEqual([{ type: 'text', text: 'Ada, customer of Acme Air' }])
  })

  it('books trips only for assistants that may', async () => {
    const lacking = await tokensFor(signIn, { ...ada, scopes: 'profile' })
    const { headers } = await call('book_trip', lacking.accessToken).expect(403)
    expect(headers['www-authenticate']).toContain('scope="profile trips:write"')

    const enough = await tokensFor(signIn, { ...ada, scopes: 'profile trips:write' })
    const { body } = await call('book_trip', enough.accessToken).expect(200)
    expect(body.result.content).toEqual([{ type: 'text', text: 'Booked for Ada with Acme Air' }])
  })

  it.each(['expired', 'revoked', 'ofAnotherTenant', 'forged'] as const)('refuses a token that is %s', async (fault) => {
    const { accessToken } = await tokensFor[fault](signIn, ada)
    await call('who_am_i', accessToken).expect(401)
  })

  it('has one grant for each app, however often it signs in', async () => {
    const [first, second] = [await tokensFor(signIn, ada), await tokensFor(signIn, ada)]
    await call('who_am_i', first.accessToken).expect(401)
    await call('who_am_i', second.accessToken).expect(200)
    expect((await signIn.grants.list(ada)).grants).toMatchObject([{ grantId: second.grantId }])
  })

  it('ends with the grant', async () => {
    const { accessToken } = await tokensFor(signIn, ada)
    await signIn.grants.revokeAll(ada)
    await call('who_am_i', accessToken).expect(401)
    expect(signIn.events).toContainEqual(expect.objectContaining({ type: 'revoked', ...ada }))
  })
})
