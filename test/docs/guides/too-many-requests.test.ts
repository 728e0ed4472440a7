import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import express from 'express'
import { HostApp } from '../../support/host-app'
import { NewAssistant } from '../../support/new-assistant'
import { clientId } from '../../support/sign-in'
import { textOf } from '../pages'

const page = 'docs/rate-limits.md'

describe('how clients react to 429, as docs/rate-limits.md says', () => {
  const metadata = (origin: string) => ({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
  })

  /** What an MCP client does whose refresh is answered with 429. */
  async function refreshing(answer: (res: express.Response) => void) {
    const app = await HostApp.start((origin) =>
      express()
        .get(
          '/.well-known/oauth-protected-resource',
          (_req, res) => void res.json({ resource: origin, authorization_servers: [origin] }),
        )
        .get('/.well-known/oauth-authorization-server', (_req, res) => void res.json(metadata(origin)))
        .post('/token', (_req, res) => answer(res.status(429))),
    )
    // The SDK says that these tokens name no issuer.
    jest.spyOn(console, 'warn').mockImplementation()
    const assistant = new NewAssistant({ clientId })
    assistant.saveTokens({ access_token: 'a', token_type: 'Bearer', refresh_token: 'r' })
    const outcome = await auth(assistant, { serverUrl: app.origin }).catch((error: Error) => error.name)
    await app.stop()
    return outcome
  }

  it('they keep their tokens if the answer is JSON', async () => {
    const [, json = ''] = /'(\{"error":"too_many_requests".*?\})'/.exec(textOf(page)) ?? []
    expect(await refreshing((res) => void res.type('json').send(json))).toBe('TooManyRequestsError')
  })

  it('they ask the customer to sign in again if it is HTML', async () => {
    expect(await refreshing((res) => void res.send('<h1>Too many requests</h1>'))).toBe('REDIRECT')
  })
})
