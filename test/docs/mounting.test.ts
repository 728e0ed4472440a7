import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import type { Express } from 'express'
import { consentForm } from '../support/consent-form'
import { HostApp } from '../support/host-app'
import { NewAssistant } from '../support/new-assistant'
import { snippetFolder, snippetWith } from './pages'

// The host that the snippet is added to, with its own sessions, login and MCP server.
const before = `
import express from 'express'
const mcp = (req, res) => res.json({ subject: req.auth.subject })
export const app = express()
app.use((req, _res, next) => {
  const [, id] = /customer=(\\w+)/.exec(req.headers.cookie ?? '') ?? []
  req.session = { company: id && 'acme', customerId: id }
  next()
})
app.get('/login', (req, res) => res.cookie('customer', 'ada').redirect(req.query.next))
`

const { code } = snippetWith('// your companies')

describe('the first snippet of the README', () => {
  const folder = snippetFolder()
  let host: HostApp

  beforeAll(async () => {
    const file = join(folder, 'mounted.ts')
    writeFileSync(file, before + code)
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation()
    const { app }: { app: Express } = await import(file)
    // The warnings are about the address and the key that the server makes up.
    expect(warned).toHaveBeenCalledTimes(2)
    host = await HostApp.start(() => app)
  })

  afterAll(async () => {
    await host.stop()
    rmSync(folder, { recursive: true })
  })

  it('is ten lines', () => {
    const lines = code.split('\n').filter((line) => line !== '' && !line.startsWith('import '))
    expect(lines).toHaveLength(10)
  })

  it('connects an assistant that is given only the address of the company’s MCP server', async () => {
    const serverUrl = `${host.origin}/v1/acme/mcp`
    const assistant = new NewAssistant()
    const resourceMetadataUrl = await refusedAt(serverUrl)
    expect(await auth(assistant, { serverUrl, resourceMetadataUrl })).toBe('REDIRECT')
    const authorizationCode = await broughtBack(assistant.authorizationUrl)
    expect(await auth(assistant, { serverUrl, resourceMetadataUrl, authorizationCode })).toBe('AUTHORIZED')

    const headers = { authorization: `Bearer ${assistant.tokens()?.access_token}` }
    expect(await (await fetch(serverUrl, { headers })).json()).toEqual({ subject: 'ada' })
    const elsewhere = await fetch(`${host.origin}/v1/globex/mcp`, { headers })
    expect(elsewhere.status).toBe(404)
  })

  /** The authorization URL that the refusal leads to. */
  async function refusedAt(serverUrl: string): Promise<URL> {
    const { status, headers } = await fetch(serverUrl, { method: 'POST' })
    expect(status).toBe(401)
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(headers.get('WWW-Authenticate') ?? '') ?? []
    return new URL(metadata)
  }

  /** The customer logs in and presses Allow. @returns The code that the browser brings back. */
  async function broughtBack(authorizationUrl: URL): Promise<string> {
    const stay = { redirect: 'manual' } as const
    const sentTo = (response: Response) => new URL(response.headers.get('Location') ?? '', host.origin)
    const login = sentTo(await fetch(authorizationUrl, stay))
    expect(login.pathname).toBe('/login')
    const loggedIn = await fetch(login, stay)
    const page = sentTo(loggedIn)
    const headers = { cookie: loggedIn.headers.getSetCookie().join() }

    const { action, token } = consentForm({ text: await (await fetch(page, { headers })).text() })
    const body = new URLSearchParams({ consent_token: token, decision: 'allow' })
    const allowed = await fetch(new URL(action, page), { method: 'POST', headers, body, ...stay })
    return sentTo(allowed).searchParams.get('code') ?? ''
  }
})
