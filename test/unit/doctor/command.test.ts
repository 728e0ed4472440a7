import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { RequestHandler } from 'express'
import { freePort } from '../../../scripts/free-port'
import { doctor } from '../../../src/doctor/command'
import { findings } from '../../../src/doctor/findings'
import { stepTitles } from '../../../src/doctor/report'
import { OwnBrowser } from '../../../src/doctor/sign-in-window'
import { printable } from '../../../src/doctor/visit'
import { deployed, findingsOf } from '../../support/deployment'
import { commandPath, runCommand } from '../../support/run-doctor'

describe('npx customer-sign-in doctor', () => {
  it('says that nothing is wrong, and what it has registered, with exit code 0', async () => {
    const address = `${await deployed()}/v1/acme/mcp`
    const { status, stdout, stderr } = await runCommand(['doctor', address])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.startsWith(`${address}\n\n✓ The API asks for a token`)).toBe(true)
    expect(stdout).toMatch(
      /\n✓ Registration \(RFC 7591\)\n {2}Registered a client named “customer-sign-in doctor”: dcr_/,
    )
    expect(stdout).toMatch(
      /A customer-sign-in stores no clients, so nothing is left there\. If this is another server, it has named no way to delete the client dcr_[\w-]+\.\n\nNothing is wrong\.\n$/,
    )
  })

  it('says what is wrong, with its remedy, and what it has skipped, with exit code 1', async () => {
    const origin = await deployed({ api: () => {} })
    const { status, stdout } = await runCommand(['doctor', `${origin}/v1/acme/mcp`])
    expect(status).toBe(1)
    expect(stdout).toContain(`✗ POST ${origin}/v1/acme/mcp is answered with 404, where 401 was expected.
    → Check the address. Then check that the proxy passes /v1/acme/mcp to the app, and that the app has a route there,`)
    expect(stdout).toContain('- Clocks: skipped, because it needs the result of the step “api”\n')
    expect(stdout).toMatch(/\n1 wrong \(✗\), 0 warnings \(!\)\.\n$/)
  })

  it('says with exit code 0 what is not as it should be, but works', async () => {
    const origin = await deployed({ options: () => ({ clients: { blocked: { documentHosts: ['claude.ai'] } } }) })
    const { status, stdout } = await runCommand(['doctor', `${origin}/v1/acme/mcp`])
    expect(status).toBe(0)
    expect(stdout).toContain(
      '! The metadata document of https://claude.ai/oauth/claude-code-client-metadata is not accepted',
    )
    expect(stdout).toMatch(/\n0 wrong \(✗\), 1 warning \(!\)\.\n$/)
  })

  it('says the same remedy once', async () => {
    const before = (): RequestHandler => (req, res, next) =>
      void (req.method === 'OPTIONS' ? res.status(204).end() : next())
    const { stdout } = await runCommand(['doctor', `${await deployed({ before })}/v1/acme/mcp`])
    expect(stdout.match(/→ Pass OPTIONS on to the app/g)).toHaveLength(1)
    expect(stdout.match(/→ As above\./g)).toHaveLength(5)
  })

  it('goes on in silence if nobody reads what it prints any more, so that it leaves nothing behind', async () => {
    const deleted: string[] = []
    const before =
      (own: string): RequestHandler =>
      (req, res, next) => {
        if (req.method === 'DELETE') deleted.push(req.path)
        if (req.path.endsWith('/register') && req.method === 'POST')
          res.json({ client_id: 'app', registration_client_uri: `${own}/registration`, registration_access_token: 'x' })
        else next()
      }
    const child = spawn(process.execPath, [commandPath, 'doctor', `${await deployed({ before })}/v1/acme/mcp`])
    child.stdout.destroy()
    const [stderr] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ stderr, deleted }).toEqual({ stderr: '', deleted: ['/registration'] })
  })

  it('prints JSON and nothing else with --json', async () => {
    const address = `${await deployed({ api: () => {} })}/v1/acme/mcp`
    const { status, stdout, stderr } = await runCommand(['doctor', '--json', address])
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
    const report = JSON.parse(stdout)
    expect(report).toEqual({ version: 1, address, good: false, steps: expect.any(Array) })
    expect(report.steps[0]).toEqual({
      step: 'api',
      title: stepTitles.api,
      status: 'wrong',
      findings: [
        {
          code: 'api-not-found',
          level: 'wrong',
          says: expect.any(String),
          remedy: expect.stringContaining('/v1/acme/mcp'),
        },
      ],
      notes: [],
    })
    expect(report.steps[1]).toMatchObject({
      step: 'bearer',
      status: 'skipped',
      notes: [expect.stringMatching(/^Skipped, because /)],
    })
    expect(findingsOf(report)).toEqual(['api: api-not-found'])
  })

  it('closes the address that the browser comes back to, also if nobody signs in', async () => {
    const close = jest.spyOn(OwnBrowser.prototype, 'close')
    const print = jest.spyOn(process.stdout, 'write').mockReturnValue(true)
    try {
      expect(await doctor(['--login', `http://127.0.0.1:${await freePort()}/mcp`])).toBe(1)
      expect(close).toHaveBeenCalledTimes(1)
    } finally {
      print.mockRestore()
      close.mockRestore()
    }
  })

  it('uses a client that it is given, and registers none', async () => {
    const { stdout } = await runCommand(['doctor', '--client-id', 'app', `${await deployed()}/v1/acme/mcp`])
    expect(stdout).toContain('Not tried: the client is app.')
    expect(stdout).toMatch(/✗ GET \S+ does not know the client app\./)
    expect(stdout).toContain('- What stays behind: skipped: The doctor has registered no client')
  })

  it.each([
    ['no address', [], /^doctor takes one address/],
    ['two addresses', ['https://a.example', 'https://b.example'], /^doctor takes one address/],
    ['no web address', ['a.example/mcp'], /^The address must begin with https:/],
    ['another scheme', ['ftp://a.example'], /^The address must begin with https:/],
    ['a password', ['https://ada:secret@a.example'], /^The address must have no user name/],
    ['an unknown option', ['--jsno', 'https://a.example'], /^Unknown option '--jsno'/],
  ])('is used wrongly with %s, with exit code 2', async (_, args, message) => {
    const { status, stdout, stderr } = await runCommand(['doctor', ...args])
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).not.toContain('secret')
  })
})

describe('the words of the doctor', () => {
  it('have no control characters of a server in them', () => {
    expect(printable('a\u001b]0;title\u0007b\u202ec\nd')).toBe('a ]0;title b c d')
    expect(printable('x'.repeat(1000))).toHaveLength(301)
  })

  it('are different for each finding', () => {
    const says = Object.values(findings).map((words) => words.says)
    expect(new Set(says).size).toBe(says.length)
  })
})
