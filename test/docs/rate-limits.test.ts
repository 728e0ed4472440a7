import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Express } from 'express'
import request from 'supertest'
import { snippetFolder, snippetWith } from './pages'

const before = `
import express from 'express'
export const app = express()
const signIn = (_req, res) => res.json({ served: true })
`

describe('the rate limits for a single process', () => {
  const folder = snippetFolder()
  let app: Express

  beforeAll(async () => {
    const file = join(folder, 'limited.ts')
    // A slow machine must not see the end of a minute within these tests.
    writeFileSync(file, before + snippetWith('token: 600').code.replace('60_000', '600_000'))
    app = (await import(file)).app
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it('answer with JSON that a client in a browser can read, and that tells clients to retry', async () => {
    const register = () => request(app).post('/v1/acme/oauth/register')
    for (let each = 0; each < 20; each++) await register().expect(200)
    const { status, headers, body } = await register()
    expect({ status, ...body }).toEqual({
      status: 429,
      error: 'too_many_requests',
      error_description: expect.stringMatching(/minute/),
    })
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/^application\/json/),
      'access-control-allow-origin': '*',
      'retry-after': expect.stringMatching(/^\d+$/),
    })
  })

  it('apply to one route each, for all companies together', async () => {
    const { body } = await request(app).post('/v1/globex/oauth/register').expect(429)
    expect(body.error).toBe('too_many_requests')
    for (const route of ['token', 'revoke', 'authorize', 'jwks']) {
      await request(app).post(`/v1/acme/oauth/${route}`).expect(200)
    }
  })

  it('count the requests to a company on its own domain too, together with all others', async () => {
    const { body } = await request(app).post('/oauth/register').expect(429)
    expect(body.error).toBe('too_many_requests')
    await request(app).post('/oauth/token').expect(200)
  })

  it('count no preflights', async () => {
    for (let each = 0; each < 30; each++) await request(app).options('/v1/acme/oauth/register').expect(200)
  })

  it('stand in front of every route', async () => {
    const routes = ['token', 'revoke', 'authorize', 'register', 'jwks']
    for (const path of routes.flatMap((route) => [`/v1/acme/oauth/${route}`, `/oauth/${route}`])) {
      const { headers } = await request(app).get(path)
      expect({ path, ...headers }).toHaveProperty('x-ratelimit-limit')
    }
    const { headers } = await request(app).get('/.well-known/oauth-authorization-server/v1/acme/oauth')
    expect(headers).toHaveProperty('x-ratelimit-limit')
  })
})
