import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import request from 'supertest'
import { createHost } from '../../../examples/quickstart/host'
import { describeWith } from '../../support/describe-with'

// The command that `npm run example:quickstart` runs.
const command = ['--import', 'tsx', join('examples', 'quickstart', 'main.ts')]
const credential = /csi[cr]_[\w-]{84}|eyJ[\w-]+\.[\w-]+\.[\w-]+/

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

function runOnce(env: NodeJS.ProcessEnv = {}): Ended {
  return spawnSync(process.execPath, [...command, '--once'], {
    encoding: 'utf8',
    timeout: 300_000,
    env: { ...process.env, ...env },
  })
}

describe('the quickstart with --once', () => {
  let ended: Ended
  beforeAll(() => {
    ended = runOnce()
  })

  it('goes through the whole flow and ends by itself', () => {
    expect(ended).toMatchObject({ status: 0, stderr: '' })
    expect(ended.stdout.match(/^\d+\. .+$/gm)).toEqual([
      '1. Discovery',
      '2. Authorization',
      '3. Code exchange',
      '4. Protected call',
      '5. Refresh',
      '6. Used again at once',
      '7. Used again later',
      '8. What happened to the grant',
      '9. Another company',
      '10. A company without customer sign-in',
    ])
    expect(ended.stdout).toMatch(/Every step went as it should\.\s*$/)
  })

  it('shows the requests and responses', () => {
    for (const line of [
      'client -> GET /.well-known/oauth-authorization-server/v1/acme/oauth',
      'browser -> POST /v1/acme/oauth/authorize',
      'host -> 303 See Other',
      'client -> POST /v1/acme/oauth/token',
      'code_verifier ',
      'refresh_token  csir_',
      'Authorization: Bearer eyJ',
      'London to Turin, seat 12A',
      '(onEvent: replayed, ended: false)',
      '(onEvent: replayed, ended: true)',
      'The access token has been revoked',
      'The access token is not for this tenant',
      'host -> 404 Not Found',
    ]) {
      expect(ended.stdout).toContain(line)
    }
  })

  it('shows no complete code or token', () => {
    expect(ended.stdout).not.toMatch(credential)
  })

  it('fails with a non-zero exit code if a response is wrong', () => {
    const gone = `
      import { ServerResponse } from 'node:http'
      const { writeHead } = ServerResponse.prototype
      ServerResponse.prototype.writeHead = function (status, ...more) {
        return writeHead.call(this, status === 404 ? 410 : status, ...more)
      }`
    const surprised = runOnce({ NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(gone)}` })
    expect(surprised.status).toBe(1)
    expect(surprised.stderr).toContain('That was not expected')
    expect(surprised.stdout).not.toContain('Every step went as it should')
  })
})

describeWith('curl', spawnSync('curl', ['--version']).status === 0)('the quickstart, serving on', () => {
  let example: ChildProcess
  let stdout = ''
  beforeAll(async () => {
    example = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
    await new Promise<void>((resolve, reject) => {
      example.once('exit', (code) => reject(new Error(`It ended with ${code}`)))
      example.stdout?.on('data', (chunk) => {
        stdout += chunk
        if (/in a browser:\n\S+\n/.test(stdout)) resolve()
      })
    })
  })
  afterAll(async () => {
    example.kill()
    if (example.exitCode === null && example.signalCode === null) await once(example, 'exit')
  })

  /** Pastes the command under a comment into a shell. */
  function paste(comment: string): string {
    const [, command] =
      stdout
        .split('\n# ')
        .find((text) => text.startsWith(comment))
        ?.split('\n') ?? []
    if (command === undefined) throw new Error(`There is no command for ${comment}`)
    return execFileSync('sh', ['-c', command], { encoding: 'utf8' })
  }

  it('prints curl commands that work when pasted', () => {
    expect(JSON.parse(paste('the metadata of Acme'))).toMatchObject({
      issuer: expect.stringMatching(/\/v1\/acme\/oauth$/),
    })
    expect(JSON.parse(paste('the bookings'))).toEqual({
      customer: 'cus_W2kq8ZpX4nTb',
      bookings: ['London to Turin, seat 12A'],
    })
    expect(paste('another company')).toMatch(/^HTTP\/1\.1 401 .*WWW-Authenticate: Bearer error="invalid_token"/s)
    expect(JSON.parse(paste('fresh tokens'))).toMatchObject({ refresh_token: expect.stringMatching(/^csir_/) })
    expect(JSON.parse(paste('fresh tokens'))).toMatchObject({ error: 'invalid_grant' })
    expect(paste('a company without customer sign-in')).toMatch(/^HTTP\/1\.1 404 .*"not_found"/s)
  })

  it('leads a browser from the Allow button to the client, which shows how to redeem the code', async () => {
    const authorize = /in a browser:\n(\S+)/.exec(stdout)?.[1] ?? ''
    const form = await (await fetch(authorize)).text()
    expect(form).toContain('<button name="answer" value="allow">Allow</button></form>')

    const arrived = await (
      await fetch(authorize, { method: 'POST', body: new URLSearchParams({ answer: 'allow' }) })
    ).text()
    const command = /<pre>(.*)<\/pre>/s.exec(arrived)?.[1]?.replaceAll('&quot;', '"') ?? ''
    expect(JSON.parse(execFileSync('sh', ['-c', command], { encoding: 'utf8' }))).toMatchObject({
      token_type: 'Bearer',
    })
  })
})

describe('the authorize page of the quickstart', () => {
  const baseUrl = 'http://127.0.0.1:3000'
  const host = createHost(baseUrl, () => {})
  const good = {
    response_type: 'code',
    client_id: 'travel-assistant',
    redirect_uri: 'http://127.0.0.1:4000/callback',
    code_challenge: 'x'.repeat(43),
    code_challenge_method: 'S256',
    state: 'opaque',
  }

  const answered = (body: string, query: object = good, path = '/v1/acme/oauth/authorize') =>
    request(host).post(path).query(query).type('form').send(body)

  it('shows the customer which client asks for what', async () => {
    const { status, text } = await request(host).get('/v1/acme/oauth/authorize').query(good)
    expect(status).toBe(200)
    for (const words of ['Travel Assistant', 'Acme Air', 'Ada Lovelace', 'see your bookings'])
      expect(text).toContain(words)
  })

  it('sends the customer back to the client with a code', async () => {
    const { status, headers } = await answered('answer=allow').set('Origin', baseUrl)
    expect(status).toBe(303)
    expect(headers.location).toMatch(/^http:\/\/127\.0\.0\.1:4000\/callback\?code=csic_[\w-]{84}&state=opaque&iss=/)
  })

  it.each(['answer=deny', '', 'answer=deny&answer=allow'])(
    'sends the customer back without a code: %j',
    async (body) => {
      const { headers } = await answered(body).expect(303)
      const { searchParams } = new URL(headers.location ?? '')
      const refusal = { error: 'access_denied', state: 'opaque', iss: `${baseUrl}/v1/acme/oauth` }
      expect(Object.fromEntries(searchParams)).toMatchObject(refusal)
      expect(searchParams.has('code')).toBe(false)
    },
  )

  it('escapes the text of the request', async () => {
    const { text } = await request(host)
      .get('/v1/acme/oauth/authorize')
      .query({ ...good, scope: '<script>"\'&' })
    expect(text).not.toContain('<script>')
    expect(text).toContain('&lt;script&gt;&quot;&#39;&amp;')
  })

  it('gives no code to a form on another site', async () => {
    const { status, headers } = await answered('answer=allow').set('Origin', 'https://attacker.example')
    expect(status).toBe(403)
    expect(headers.location).toBeUndefined()
  })

  it.each([
    ['another company’s address', '/v1/initech/oauth/authorize', {}],
    ['an unknown client', '/v1/acme/oauth/authorize', { client_id: 'stranger' }],
    ['an address that is not the client’s', '/v1/acme/oauth/authorize', { redirect_uri: 'https://attacker.example' }],
    ['a request without PKCE', '/v1/acme/oauth/authorize', { code_challenge: '' }],
    ['another flow', '/v1/acme/oauth/authorize', { response_type: 'token' }],
  ])('never redirects for %s', async (_, path, wrong) => {
    const { status, headers, text } = await answered('answer=allow', { ...good, ...wrong }, path)
    expect(status).toBeGreaterThanOrEqual(400)
    expect(headers.location).toBeUndefined()
    expect(text).toContain('This did not work')
  })
})
