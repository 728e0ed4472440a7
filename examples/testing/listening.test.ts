// listening.test.ts
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { testSignIn } from 'customer-sign-in/testing'
import { createApp, settings } from './app'

const server = createServer()
let baseUrl: string

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on('request', createApp(testSignIn({ ...settings, baseUrl })))
})
afterAll(async () => {
  await once(server.close(), 'close')
})

it('leads a client to the token endpoint', async () => {
  const metadata = await fetch(`${baseUrl}/.well-known/oauth-authorization-server/v1/acme/oauth`)
  const { token_endpoint } = (await metadata.json()) as { token_endpoint: string }
  expect(token_endpoint).toBe(`${baseUrl}/v1/acme/oauth/token`)
})
