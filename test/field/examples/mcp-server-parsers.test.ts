import { testSignIn, tokensFor } from 'customer-sign-in/testing'
import express from 'express'
import request from 'supertest'
import { createApp } from '../../../examples/mcp-server/host'

const signIn = testSignIn({ scopes: ['profile', 'trips:write'] })

describe('the MCP server of the example', () => {
  it.each([
    ['without a body parser in front', []],
    ['behind express.json() of the whole app', [express.json()]],
  ])('answers an assistant %s', async (_front, parsers) => {
    const app = express()
    for (const parser of parsers) app.use(parser)
    app.use(createApp(signIn, 'https://app.test'))
    const { accessToken } = await tokensFor(signIn, { tenantKey: 'acme', subject: 'ada', scopes: ['profile'] })
    const { status, text } = await request(app)
      .post('/v1/acme/mcp')
      .auth(accessToken, { type: 'bearer' })
      .set('Accept', 'application/json, text/event-stream')
      .send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining('who_am_i') })
  })
})
