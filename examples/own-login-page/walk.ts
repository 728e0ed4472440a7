import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { demo } from './host'

const codeVerifier = randomBytes(32).toString('base64url')

/** The address of the authorization request that the demo client sends a browser to. */
export function authorizationUrl(host: string): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: demo.clientId,
    redirect_uri: `${host}/arrived`,
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'opaque',
  })
  return `${host}/v1/acme/oauth/authorize?${query}`
}

/** Plays the customer's browser, and then the client. Rejects at the first answer that is not as it should be. */
export async function walk(host: string): Promise<void> {
  const asked = await send(authorizationUrl(host))
  assert.match(asked.location, /\/login\?next=/)

  const loggedIn = await send(asked.location, { email: 'ada@example.com' })
  assert.equal(loggedIn.location, authorizationUrl(host))

  const consent = await send(loggedIn.location)
  assert.match(consent.text, /You are signed in as <bdi>Ada Lovelace<\/bdi>/)

  const token = /name="consent_token" value="([^"]+)"/.exec(consent.text)?.[1] ?? ''
  const allowed = await send(loggedIn.location, { consent_token: token, decision: 'allow' })
  const { searchParams } = new URL(allowed.location)
  assert.equal(searchParams.get('state'), 'opaque')

  const redeemed = await send(`${host}/v1/acme/oauth/token`, {
    grant_type: 'authorization_code',
    client_id: demo.clientId,
    code: searchParams.get('code') ?? '',
    redirect_uri: `${host}/arrived`,
    code_verifier: codeVerifier,
  })
  const { access_token, scope } = JSON.parse(redeemed.text)
  const { sub } = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
  assert.equal(sub, 'cus_W2kq8ZpX4nTb')
  print(`The client may act for ${sub}, with the scope ${scope}.`)
}

let cookie = ''

/** Sends a request as a browser would, but does not follow redirects, to show where they lead. */
async function send(url: string, form?: Record<string, string>): Promise<{ location: string; text: string }> {
  const method = form ? 'POST' : 'GET'
  const sent = { method, headers: { cookie }, redirect: 'manual', body: form && new URLSearchParams(form) } as const
  const response = await fetch(url, sent)
  const [setCookie] = response.headers.getSetCookie()
  if (setCookie) cookie = setCookie.split(';', 1)[0] ?? ''
  const location = response.headers.get('Location') ?? ''
  const on = location && `, on to ${new URL(location, url).pathname}`
  print(`${method.padEnd(4)} ${new URL(url).pathname}: ${response.status}${on}`)
  return { location: location && new URL(location, url).href, text: await response.text() }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
