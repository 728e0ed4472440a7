import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { print, step } from '../quickstart/wire'
import { type Database, schema } from './database'

const clientId = 'travel-assistant'
const redirectUri = 'http://127.0.0.1:8080/callback'

/** The addresses of the two processes. */
export type Processes = readonly [string, string]

interface Tokens {
  access_token: string
  refresh_token: string
}

/** Plays a customer's app, and chooses which process answers. Rejects at the first answer that is not as it should be. */
export async function walk(processes: Processes, database: Database): Promise<void> {
  const send = async (process: 1 | 2, method: string, path: string, form?: object, bearer?: string) => {
    const response = await fetch(processes[process - 1] + path, {
      method,
      redirect: 'manual',
      ...(form && { body: new URLSearchParams({ ...form }) }),
      ...(bearer && { headers: { Authorization: `Bearer ${bearer}` } }),
    })
    const what = `${method} ${path.split('?')[0]} ${Object(form).grant_type ?? ''}`
    print(`   ${what.padEnd(52)} process ${process}: ${response.status}`)
    return response
  }
  const refresh = (process: 1 | 2, refreshToken: string) =>
    send(process, 'POST', '/v1/acme/oauth/token', {
      grant_type: 'refresh_token',
      client_id: clientId,
      refresh_token: refreshToken,
    })

  step('Sign-in', 'The customer allows the app at one process. The app redeems the code at the other.')
  const verifier = randomBytes(32).toString('base64url')
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'bookings',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const authorize = `/v1/acme/oauth/authorize?${asked}`
  const page = await (await send(1, 'GET', authorize)).text()
  const [, token = ''] = /name="consent_token" value="([^"]+)"/.exec(page) ?? []
  const allowed = await send(1, 'POST', authorize, { consent_token: token, decision: 'allow' })
  const code = new URL(allowed.headers.get('Location') ?? '').searchParams.get('code')
  const first = await tokensIn(
    await send(2, 'POST', '/v1/acme/oauth/token', {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code,
      code_verifier: verifier,
    }),
  )

  step('Refresh', 'Each process redeems the refresh token that the other one has issued.')
  const second = await tokensIn(await refresh(1, first.refresh_token))
  const third = await tokensIn(await refresh(2, second.refresh_token))

  step('A new company', 'The host adds a row to its own table. From then on that company has an authorization server.')
  const metadata = '/.well-known/oauth-authorization-server/v1/globex/oauth'
  assert.equal((await send(1, 'GET', metadata)).status, 404)
  await database.query(`insert into ${schema}.tenants values ('company-2', 'globex', 'Globex')`)
  for (const process of [1, 2] as const) assert.equal((await send(process, 'GET', metadata)).status, 200)

  step('Sign-out', 'The customer signs out at one process. The other one knows it at the next request.')
  assert.deepEqual(await countOf(database, 'grants'), 1)
  const signedOut = await send(1, 'POST', '/v1/acme/sign-out', {}, third.access_token)
  assert.deepEqual(await signedOut.json(), { ended: 1 })
  assert.equal((await refresh(2, third.refresh_token)).status, 400)
  assert.deepEqual(await countOf(database, 'grants'), 0)
}

async function tokensIn(response: Response): Promise<Tokens> {
  assert.equal(response.status, 200)
  return (await response.json()) as Tokens
}

async function countOf({ query }: Database, table: string): Promise<number> {
  const [row] = await query(`select count(*)::int from ${schema}.${table}`)
  return row?.count as number
}
