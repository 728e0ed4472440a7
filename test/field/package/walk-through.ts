import { createHash, randomBytes } from 'node:crypto'

/** Uses a host as a client does: metadata, authorization, a token request, the host's own API, a refresh. */
export async function walkThrough(host: string): Promise<void> {
  const metadata = await json(`${host}/.well-known/oauth-authorization-server/v1/acme/oauth`)
  expect(metadata).toMatchObject({ issuer: `${host}/v1/acme/oauth`, token_endpoint: `${host}/v1/acme/oauth/token` })

  const codeVerifier = randomBytes(32).toString('base64url')
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const authorization = await fetch(`${host}/authorize?code_challenge=${codeChallenge}`, { redirect: 'manual' })
  const redirect = new URL(authorization.headers.get('location') ?? '')

  const tokens = await post(metadata.token_endpoint, {
    grant_type: 'authorization_code',
    client_id: 'assistant-app',
    code: redirect.searchParams.get('code') ?? '',
    redirect_uri: redirect.origin + redirect.pathname,
    code_verifier: codeVerifier,
  })
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'profile' })

  const headers = { Authorization: `Bearer ${tokens.access_token}` }
  expect(await json(`${host}/v1/acme/me`, { headers })).toEqual({ subject: 'customer-1' })
  expect((await fetch(`${host}/v1/acme/me`)).status).toBe(401)

  const refreshed = await post(metadata.token_endpoint, {
    grant_type: 'refresh_token',
    client_id: 'assistant-app',
    refresh_token: tokens.refresh_token ?? '',
  })
  expect(refreshed).toMatchObject({ token_type: 'Bearer' })
  expect((await fetch(`${host}/v1/unknown/oauth/jwks`)).status).toBe(404)
}

function post(url: string | undefined, form: Record<string, string>): Promise<Record<string, string>> {
  return json(url, { method: 'POST', body: new URLSearchParams(form) })
}

async function json(url = '', init: RequestInit = {}): Promise<Record<string, string>> {
  const response = await fetch(url, init)
  const body = await response.text()
  expect({ status: response.status, body }).toMatchObject({ status: 200 })
  return JSON.parse(body)
}
