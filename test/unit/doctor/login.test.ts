import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import {
  type CustomerSignIn,
  type CustomerSignInOptions,
  createCustomerSignIn,
  MemoryTenantStore,
  MemoryTokenStore,
  OAuthError,
} from 'customer-sign-in'
import express, { type RequestHandler } from 'express'
import { createHost } from '../../../examples/mcp-server/host'
import { examine } from '../../../src/doctor/examine'
import type { Report } from '../../../src/doctor/report'
import { describeWithBrowser, newBrowser } from '../../support/browser'
import { answerMcp, type Deployed, deployed, findingsOf, listening } from '../../support/deployment'
import { mcpServer, mcpServerOfToday } from '../../support/mcp-server'
import { type Ran, runCommand } from '../../support/run-doctor'

const path = '/v1/:tenantKey/mcp'
const handOver = join(__dirname, '../../support/browser-command/hand-over.mjs')

describeWithBrowser('doctor --login', () => {
  /** Runs the doctor, and logs in where it opens the browser. */
  async function loggedIn(args: string[], press: 'Allow' | 'Deny'): Promise<Ran> {
    const [host, receiver] = [await listening(), await listening()]
    const origin = `http://localhost:${host.port}`
    host.answer(createHost(origin, () => {}))
    const opened = new Promise<string>((resolve) => {
      receiver.answer(async (req, res) => {
        resolve(await text(req))
        res.end()
      })
    })
    const BROWSER = `${process.execPath} ${handOver} http://127.0.0.1:${receiver.port}`
    const running = runCommand(['doctor', '--login', ...args, `${origin}/v1/acme/mcp`], { BROWSER })
    const url = await Promise.race([opened, running.then((ran) => Promise.reject(new Error(ran.stdout)))])
    const page = await (await newBrowser()).newPage()
    await page.goto(url)
    await page.getByLabel('Your name').fill('Ada')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('button', { name: press }).press('Enter')
    await page.getByRole('heading', { name: 'Back at the doctor' }).waitFor()
    return running
  }

  it('goes through to a call of our own example, a refresh and a revocation', async () => {
    const { status, stdout, stderr } = await loggedIn(['--json'], 'Allow')
    const { good, steps } = JSON.parse(stdout) as Report
    // The server may or may not reach the internet, for the document of an assistant.
    const others = steps.filter(({ step }) => step !== 'document')
    expect(others.filter((step) => step.status !== 'good')).toEqual([])
    expect(others.map(({ step }) => step)).toEqual([
      ...['api', 'bearer', 'resource', 'server', 'keys', 'registration', 'authorize', 'token', 'revocation', 'clock'],
      ...['sign-in', 'call', 'refresh', 'end', 'leave'],
    ])
    expect({ good, status }).toEqual({ good: true, status: 0 })
    expect(stderr).toMatch(/^Sign in within 5 minutes.*\nhttp:\/\/localhost:\d+\/v1\/acme\/oauth\/authorize\?/)
    expect(stdout + stderr).not.toMatch(/csi[cr]_|eyJ/)
  })

  it('says in plain words that the customer has refused', async () => {
    const { status, stdout } = await loggedIn([], 'Deny')
    expect(status).toBe(1)
    expect(stdout).toContain('✗ The browser came back with the error access_denied. The customer has refused.\n')
    expect(stdout).toContain(
      '- Refresh (RFC 6749 section 6): skipped, because it needs the result of the step “sign-in”\n',
    )
  })
})

describe('the doctor with a login finds', () => {
  const clients = [{ clientId: 'app', redirectUris: ['http://127.0.0.1/callback'], firstParty: true }]
  const base: Partial<CustomerSignInOptions> = {
    tenantStore: new MemoryTenantStore([{ key: 'acme', id: '1', clients }]),
    authenticate: () => ({ subject: 'ada' }),
    pages: { consent: false },
  }

  /** Changes what the browser comes back with. Undefined if it never does. */
  type Back = (parameters: URLSearchParams) => URLSearchParams | undefined

  async function foundWithLogin(
    app: Deployed = {},
    back: Back = (parameters) => parameters,
    timeLimit = 15_000,
  ): Promise<Report> {
    const origin = await deployed({ ...app, options: (own) => ({ ...base, ...app.options?.(own) }) })
    const open = async (url: string) => {
      const { headers } = await fetch(url, { redirect: 'manual' })
      return back(new URL(headers.get('location') ?? '').searchParams)
    }
    const window = { redirectUri: 'http://127.0.0.1/callback', minutes: 5, open }
    return examine(`${origin}/v1/acme/mcp`, { clientId: 'app', window, timeLimit })
  }

  const changed =
    (changes: Record<string, string>): Back =>
    (parameters) =>
      new URLSearchParams({ ...Object.fromEntries(parameters), ...changes })

  it('nothing at a good deployment', async () => {
    expect(findingsOf(await foundWithLogin())).toEqual([])
  })

  it('nothing at a company that requires keys', async () => {
    const tenantStore = new MemoryTenantStore([{ key: 'acme', id: '1', clients, requireDpop: true }])
    const { good, steps } = await foundWithLogin({ options: () => ({ tenantStore }) })
    expect(steps.flatMap(({ step, status }) => (status === 'good' ? [] : [step]))).toEqual(['leave'])
    expect(good).toBe(true)
  })

  const backs: Record<string, [Back, string]> = {
    'that the browser never comes back': [() => undefined, 'sign-in-abandoned'],
    'an error': [() => new URLSearchParams({ error: 'access_denied' }), 'sign-in-refused'],
    'another state': [changed({ state: 'other' }), 'state-differs'],
    'another issuer': [changed({ iss: 'https://other.example' }), 'iss-differs'],
    'no issuer': [(sent) => new URLSearchParams([...sent].filter(([name]) => name !== 'iss')), 'iss-differs'],
    'no code': [changed({ code: '' }), 'no-code'],
  }

  it.each(Object.entries(backs))('%s', async (_, [back, code]) => {
    expect(findingsOf(await foundWithLogin({}, back))).toEqual([`sign-in: ${code}`])
  })

  const refusing = (when: string): Deployed => ({
    options: () => ({
      accessTokenClaims: ({ grantType }) => {
        if (grantType === when) throw new OAuthError('invalid_grant', 'The customer is deactivated')
        return {}
      },
    }),
  })

  /** Answers the requests with a real code in place of the token endpoint. */
  const tokenEndpoint = (answer: (code: string) => [status: number, body: object]): Deployed => ({
    before: () => (req, res, next) => {
      if (req.method !== 'POST' || !req.path.endsWith('/token')) return next()
      express.urlencoded()(req, res, () => {
        const code = String(req.body.code)
        if (code.startsWith('customer-sign-in-doctor')) return next()
        const [status, body] = answer(code)
        res.status(status).json(body)
      })
    },
  })
  const tokens = (body: object) => tokenEndpoint(() => [200, body])

  const withApi = (...handlers: RequestHandler[]): Deployed => ({
    api: (app, signIn) => app.all(path, signIn.protectedResource({ path }), ...handlers, answerMcp),
  })

  const stranger = createCustomerSignIn({
    tenantStore: new MemoryTenantStore([{ key: 'acme', id: '1' }]),
    tokenStore: new MemoryTokenStore(),
    onEvent: () => {},
  })

  const jwt = (claims: object) =>
    ['{}', JSON.stringify(claims), ''].map((part) => Buffer.from(part).toString('base64url')).join('.')

  const cases: Record<string, [Deployed, string[]]> = {
    'a code that is refused': [refusing('authorization_code'), ['sign-in: credential-refused']],
    'a response without a token': [tokens({ token_type: 'Bearer' }), ['sign-in: member-missing']],
    'a response without a type': [tokens({ access_token: 'x' }), ['sign-in: member-missing']],
    'a response with a wrong lifetime': [
      tokens({ access_token: 'x', token_type: 'bearer', expires_in: '3600' }),
      ['sign-in: member-missing'],
    ],
    'tokens of another time': [
      tokens({ access_token: jwt({ iat: Math.floor(Date.now() / 1000) + 120 }), token_type: 'Bearer' }),
      ['sign-in: no-refresh-token', 'sign-in: clock-off', 'call: token-rejected'],
    ],
    'no refresh token': [
      {
        options: () => ({
          tenantStore: new MemoryTenantStore([
            {
              key: 'acme',
              id: '1',
              clients: clients.map((client) => ({ ...client, grantTypes: ['authorization_code'] })),
            },
          ]),
        }),
      },
      ['sign-in: no-refresh-token'],
    ],
    'an API that takes tokens of another server': [
      {
        api: (app, signIn) => {
          signIn.protectedResource({ path })
          app.all(path, stranger.protectedResource({ path }), answerMcp)
        },
      },
      ['call: token-rejected'],
    ],
    'an API that needs a scope that it does not ask for': [
      withApi((_req, res) =>
        res.status(403).set('WWW-Authenticate', 'Bearer error="insufficient_scope", scope="admin"').json({}),
      ),
      ['call: scope-insufficient'],
    ],
    'an MCP server whose messages a body parser has read': [
      withApi(express.json(), async (req, res) => {
        const transport = new StreamableHTTPServerTransport()
        await new McpServer({ name: 'acme', version: '1.0.0' }).connect(transport)
        await transport.handleRequest(req, res)
      }),
      ['call: body-read-before'],
    ],
    'an API that needs a scope that it does not name': [
      withApi((_req, res) => res.status(403).set('WWW-Authenticate', 'Bearer error="insufficient_scope"').json({})),
      ['call: scope-insufficient'],
    ],
    'an API that refuses the message for another reason': [
      withApi((_req, res) => res.status(400).json({ jsonrpc: '2.0', id: 1, error: { code: -32602 } })),
      [],
    ],
    'an API that forbids the call': [withApi((_req, res) => res.status(403).json({})), ['call: call-fails']],
    'an API that fails': [withApi((_req, res) => res.status(500).json({})), ['call: server-error']],
    'a refresh token that is refused': [refusing('refresh_token'), ['refresh: credential-refused']],
    'a revocation without effect': [
      {
        before: () => (req, res, next) => {
          if (req.path.endsWith('/revoke') && req.method === 'POST') res.set('Access-Control-Allow-Origin', '*').end()
          else next()
        },
      },
      ['end: revocation-without-effect'],
    ],
  }

  it.each(Object.entries(cases))('%s', async (_, [app, finds]) => {
    expect(findingsOf(await foundWithLogin(app))).toEqual(finds)
  })

  /** What the doctor says of the call, where this answers it. */
  async function callSays(handler: (signIn: CustomerSignIn) => RequestHandler): Promise<string[]> {
    const api: Deployed['api'] = (app, signIn) => app.all(path, signIn.protectedResource({ path }), handler(signIn))
    const report = await foundWithLogin({ api }, undefined, 2000)
    expect(findingsOf(report)).toEqual([])
    return report.steps.find(({ step }) => step === 'call')?.notes ?? []
  }

  const stream = (body: object) =>
    `: begins\n\ndata: {"method":"notifications/message"}\n\ndata: ${JSON.stringify(body)}\n\n`
  const onlyOld = 'Clients that speak only 2026-07-28 cannot call it.'
  const servers: Record<string, [(signIn: CustomerSignIn) => RequestHandler, string[]]> = {
    'on SDK 1': [mcpServer, ['The API speaks MCP 2025-11-25.', onlyOld]],
    'of today and before': [mcpServerOfToday(), ['The API speaks MCP 2025-11-25 and 2026-07-28.']],
    'of today alone': [
      mcpServerOfToday('reject'),
      ['The API speaks MCP 2026-07-28.', 'Clients that speak only older versions cannot call it.'],
    ],
    'that answers in a stream, which it never ends': [
      () => (_req, res) => {
        const [begin, ...rest] = stream({ id: 1, result: { protocolVersion: '2025-06-18' } }).split(/(?<=\n\n)/)
        // The parts must come one after the other.
        res.type('text/event-stream').write(begin, () => setTimeout(() => res.write(rest.join('')), 50))
      },
      ['The API speaks MCP 2025-06-18.', onlyOld],
    ],
    'that refuses both': [
      () => (_req, res) => res.status(400).json({ jsonrpc: '2.0', id: 1, error: { code: -32602 } }),
      ['The API let the token through, and answered the request with 400.'],
    ],
    'that answers the second question never': [
      () => (req, res) => {
        if (!('mcp-method' in req.headers)) res.json({ id: 1, result: { protocolVersion: '2025-06-18' } })
      },
      ['The API speaks MCP 2025-06-18.', onlyOld],
    ],
    'whose versions are no texts': [
      () => (_req, res) => res.json({ id: 1, result: { protocolVersion: 7, supportedVersions: [{ toString: 1 }] } }),
      [],
    ],
    'that is none': [() => (_req, res) => res.json({}), []],
  }

  it.each(Object.entries(servers))('which versions of MCP a server speaks: one %s', async (_, [handler, says]) => {
    expect(await callSays(handler)).toEqual(says)
  })

  it('which credential is refused and why, and which clock is ahead', async () => {
    const saysOf = async (app: Deployed) =>
      (await foundWithLogin(app)).steps.flatMap(({ findings }) => findings.map(({ says }) => says))
    const why = 'is refused: 400 invalid_grant. The customer is deactivated'
    expect(await saysOf(refusing('authorization_code'))).toEqual([`The code ${why}`])
    expect(await saysOf(refusing('refresh_token'))).toEqual([`The refresh token ${why}`])
    const lacking = 'Bearer error="insufficient_scope"'
    expect(
      await saysOf(withApi((_req, res) => res.status(403).set('WWW-Authenticate', lacking).json({}))),
    ).toContainEqual(expect.stringMatching(/ because it lacks the scope$/))
    const iat = Math.floor(Date.now() / 1000) + 3600
    expect(await saysOf(tokens({ access_token: jwt({ iat }), token_type: 'Bearer' }))).toContainEqual(
      expect.stringMatching(
        /^By the iat of the access token, the server's clock is 3\d{3} seconds ahead of the clock of this machine$/,
      ),
    )
  })

  it('nothing where it redeems a code without a proof, as most assistants do, and refreshes with one', async () => {
    const redeemed: string[] = []
    const before: Deployed['before'] = () => (req, res, next) =>
      express.urlencoded()(req, res, () => {
        const { grant_type: type, code = '' } = Object(req.body)
        if (type && !code.startsWith('customer-sign-in-doctor')) redeemed.push(`${type} ${'dpop' in req.headers}`)
        next()
      })
    expect(findingsOf(await foundWithLogin({ before }))).toEqual([])
    // The last one is to fail, because the grant has been revoked.
    expect(redeemed).toEqual(['authorization_code false', 'refresh_token true', 'refresh_token true'])
  })

  it('never a token or a code in what it says, even if the server repeats them', async () => {
    const codes: string[] = []
    const report = await foundWithLogin(
      tokenEndpoint((code) => {
        codes.push(code)
        return [400, { error: 'invalid_grant', error_description: `The code ${code} is wrong` }]
      }),
    )
    expect(findingsOf(report)).toEqual(['sign-in: credential-refused'])
    expect(codes[0]).toMatch(/^csic_/)
    expect(JSON.stringify(report)).toContain('The code … is wrong')
    expect(JSON.stringify(report)).not.toContain(codes[0])
  })

  it('what to do if the API answers the call in its own way', async () => {
    const { steps } = await foundWithLogin(withApi((_req, res) => res.status(406).json({})))
    const call = steps.find(({ step }) => step === 'call')
    expect(call).toMatchObject({
      status: 'good',
      notes: ['The API let the token through, and answered the request with 406.'],
    })
    const silent = (await foundWithLogin()).steps.find(({ step }) => step === 'call')
    expect(silent).toMatchObject({ status: 'good', notes: [] })
  })
})
