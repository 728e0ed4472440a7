import { testSignIn, tokensFor } from 'customer-sign-in/testing'
import express, { type Express } from 'express'
import request from 'supertest'
import { createApp } from '../../../examples/mcp-server/host'
import { runSnippet } from './run-snippet'

const page = 'docs/start-here.md'
const signIn = testSignIn({ scopes: ['profile', 'trips:write', 'bookings', 'bookings:write'] })

/** The MCP server of the guide, by a word of its snippet, in an app that is there already. */
const ofGuide = (words: string) => async (app: Express) => {
  await runSnippet(page, words, { app: Object.assign(app, { listen() {} }), signIn, bookingsOf: () => ['LH 400'] })
}

describe.each<[name: string, tool: string, mount: (app: Express) => unknown]>([
  ['the guide with a tool that needs more', 'cancel_booking', ofGuide('cancel_booking')],
  ['the example', 'who_am_i', (app) => app.use(createApp(signIn, 'https://app.test'))],
])('the MCP server of %s', (_, tool, mount) => {
  it.each([
    ['without a body parser in front', []],
    ['behind express.json() of the whole app', [express.json()]],
  ])('answers an assistant %s', async (_front, parsers) => {
    const app = express()
    for (const parser of parsers) app.use(parser)
    await mount(app)
    const { accessToken } = await tokensFor(signIn, {
      tenantKey: 'acme',
      subject: 'ada',
      scopes: ['profile', 'bookings'],
    })
    const { status, text } = await request(app)
      .post('/v1/acme/mcp')
      .auth(accessToken, { type: 'bearer' })
      .set('Accept', 'application/json, text/event-stream')
      .send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining(tool) })
  })
})
