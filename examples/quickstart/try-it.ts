import { createHash, randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { escaped, page } from './pages'

const clientId = 'travel-assistant'
const codeVerifier = randomBytes(32).toString('base64url')

interface Addresses {
  host: string
  redirectUri: string
}

interface Tokens {
  accessToken: string
  refreshToken: string
}

/** A command to paste into a shell, and what it shows. */
export interface Command {
  shows: string
  command: string
}

/** Commands for the connection that is live after the last step. */
export function commands({ host, redirectUri }: Addresses, { accessToken, refreshToken }: Tokens): Command[] {
  const bearer = `-H "Authorization: Bearer ${accessToken}"`
  return [
    {
      shows: 'the metadata of Acme',
      command: `curl -s "${host}/.well-known/oauth-authorization-server/v1/acme/oauth"`,
    },
    { shows: 'the bookings', command: `curl -s ${bearer} "${host}/v1/acme/bookings"` },
    { shows: 'another company: 401, with the reason', command: `curl -si ${bearer} "${host}/v1/globex/bookings"` },
    {
      shows: 'fresh tokens; the second time invalid_grant; after 10 seconds the grant ends, and with it the bookings',
      command: curlForm(`${host}/v1/acme/oauth/token`, { grant_type: 'refresh_token', refresh_token: refreshToken }),
    },
    {
      shows: 'a company without customer sign-in: 404',
      command: `curl -si "${host}/.well-known/oauth-authorization-server/v1/initech/oauth"`,
    },
    {
      shows: 'where the Allow button leads: to the client, with a code that is good for 60 seconds',
      command: `curl -s -o /dev/null -w "%{redirect_url}\\n" -d answer=allow "${authorizeUrl({ host, redirectUri })}"`,
    },
  ]
}

/** The address of the authorize page, to open in a browser. */
export function authorizeUrl({ host, redirectUri }: Addresses): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'profile bookings',
    state: randomBytes(8).toString('base64url'),
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  return `${host}/v1/acme/oauth/authorize?${query}`
}

/** The client's redirect URI. The browser arrives here with a code, and the page says how to redeem it. */
export function callback({ host, redirectUri }: Addresses): RequestListener {
  return (req, res) => {
    const code = new URLSearchParams(req.url?.split('?')[1]).get('code') ?? ''
    const arrived = /^csic_[\w-]{84}$/.test(code)
    const body = arrived
      ? `<h1>This is the app: your code has arrived</h1><p>The app would redeem it now. You have 60 seconds to redeem it yourself:</p>
        <pre>${escaped(exchangeCommand(code, { host, redirectUri }))}</pre>`
      : '<h1>This is the app: no code has arrived</h1>'
    res.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page('Travel Assistant', body))
  }
}

function exchangeCommand(code: string, { host, redirectUri }: Addresses): string {
  const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier }
  return curlForm(`${host}/v1/acme/oauth/token`, form)
}

function curlForm(url: string, form: Record<string, string>): string {
  const parameters = Object.entries({ ...form, client_id: clientId }).map(([name, value]) => `-d "${name}=${value}"`)
  return ['curl -s', ...parameters, `"${url}"`].join(' ')
}
