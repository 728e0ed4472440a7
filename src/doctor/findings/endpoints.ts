import type { Words } from './words'

/** What is wrong with the endpoints of the authorization server. */
export const endpointFindings = {
  'no-keys': {
    level: 'wrong',
    says: '{url} has no keys, so nobody can verify an access token',
    remedy: 'Set `signingKeys`, and look at what answers there',
  },
  'keys-differ': {
    level: 'wrong',
    says: '{url} has other keys from one request to the next, so what one process issues, another refuses',
    remedy:
      'Give all processes the same `signingKeys` and `credentialSecrets`. If you are replacing keys at this moment, wait until all processes have the new ones',
  },
  'private-keys': {
    level: 'wrong',
    says: '{url} shows a private key to everybody',
    remedy:
      'Replace the key at once: whoever has read it can make access tokens. Then remove what serves this document: the key set of this library has public keys only',
  },
  'registration-off': {
    level: 'wrong',
    says: 'The metadata announces registration, but a client is refused: {description}',
    remedy:
      "Set `registration` to true in the options and in the company's record, or wait until the metadata in caches has expired (5 minutes)",
  },
  'registration-refused': {
    level: 'wrong',
    says: 'A client with a redirect URI on its own device is not registered: {status} {error} {description}',
    remedy:
      "Look at the denied events of `onEvent`. With `allowedClients`, add `127.0.0.1` to `redirectHosts` if apps on the customer's device may connect. If it is about the method, add none to `clientAuthentication`",
  },
  'no-client-id': {
    level: 'wrong',
    says: 'The registration is answered with {status}, but without a `client_id`',
    remedy: 'Look at what answers there: the answer of this library always has it',
  },
  'body-lost': {
    level: 'wrong',
    says: '{request} was sent with a body, but the server did not get it: {description}',
    remedy:
      'Pass the body on: in nginx, remove `proxy_pass_request_body off` and `proxy_set_header Content-Length`. In the app, mount `signIn` before middleware that reads bodies, or let that keep them',
  },
  'document-refused': {
    level: 'warning',
    says: 'The metadata document of {client} is not accepted: {status} {error}',
    remedy:
      'If the company means to refuse this assistant, this is fine. If not, let the servers connect to the internet (port 443), and look at the denied events of `onEvent`',
  },
  'authorize-missing': {
    level: 'wrong',
    says: '{request} is answered with 404: there is no page to sign in on',
    remedy:
      'Set the option `authenticate`, or serve an authorize page of your own there. Check that the proxy passes the path on to the app',
  },
  'authorize-taken': {
    level: 'wrong',
    says: '{request} shows the same page to a client that does not exist: another app answers there',
    remedy:
      'Pass {path} on to the sign-in, before the pages of a website: `app.use(signIn)` before static files and catch-all routes',
  },
  'authorize-unchecked': {
    level: 'warning',
    says: '{request} sends a client that does not exist to the same login page, {to}',
    remedy:
      'Look for a login in front of the sign-in (an access proxy, `auth_request`), which hides its pages. If the server checks the client after the login, this is fine',
  },
  'authorize-refused': {
    level: 'wrong',
    says: '{request} refuses a client that has just been accepted: {status} {error}',
    remedy: 'Look at the denied events of `onEvent`: their reason says why',
  },
  'authenticate-fails': {
    level: 'wrong',
    says: '{request} shows the error page of the sign-in, with {status} {error}: `authenticate`, or a store, has failed',
    remedy:
      'Look at the error events of `onEvent`: they say which one, and why. If `authenticate` finds no session, mount the session middleware before `app.use(signIn)`',
  },
  'authorize-error': {
    level: 'wrong',
    says: '{request} sends the browser back with the error {error}',
    remedy: 'Look at the denied and error events of `onEvent`: their reason says why',
  },
  'authorize-http': {
    level: 'wrong',
    says: '{request} sends the browser to {to}, which is not https',
    remedy:
      'Redirect to the login page with a path alone, or with the https address. In nginx, `proxy_redirect` must not write http',
  },
  'login-page-fails': {
    level: 'wrong',
    says: '{request} sends the browser to {to}, which is answered with {status}',
    remedy: 'Correct the address to which `authenticate` redirects, and pass it on to the app',
  },
  'cookie-strict': {
    level: 'warning',
    says: '{request} sets the cookie {name} with `SameSite=Strict`. If it is that of the session, customers who come from an assistant have to log in each time',
    remedy: 'Use `SameSite=Lax` for the cookie of the session',
  },
  'authorize-cached': {
    level: 'wrong',
    says: '{request} may be cached ({value}), so one customer could get the page of another',
    remedy: 'Do not cache the endpoints of the sign-in: in nginx, `proxy_cache off;` and no `expires` in this location',
  },
  'page-framed': {
    level: 'warning',
    says: '{request} shows a page that other sites can put into a frame (clickjacking)',
    remedy: "Send `Content-Security-Policy: frame-ancestors 'none'`, or pass that of the app on",
  },
  'opener-cut': {
    level: 'warning',
    says: '{request} has `Cross-Origin-Opener-Policy`: {value}. Clients in a browser lose the window in which the customer signs in',
    remedy: 'Leave the header of the app (`unsafe-none`): remove it from the proxy, and mount helmet before `signIn`',
  },
  'client-not-shared': {
    level: 'wrong',
    says: '{request} does not know the client that was registered a moment ago',
    remedy:
      'Pass all endpoints of the sign-in on to the same app, with `client_id` unchanged, and give all of its processes the same version and the same options',
  },
  'client-unknown': {
    level: 'wrong',
    says: '{request} does not know the client {client}',
    remedy: "Check `--client-id`, and that the company's clients have it",
  },
  'wrong-error': {
    level: 'wrong',
    says: '{request} answers a wrong code with {status} {error}, where 400 `invalid_grant` was expected. {description}',
    remedy: 'Look at the denied events of `onEvent`, and at what changes the request or the answer on the way',
  },
  'token-cached': {
    level: 'warning',
    says: '{request} is answered without `Cache-Control: no-store`',
    remedy:
      'Pass the header of the app on: in nginx, no `proxy_hide_header Cache-Control` and no `expires` in this location',
  },
  'revocation-fails': {
    level: 'wrong',
    says: '{request} answers an unknown token with {status} {error}, where 200 was expected (RFC 7009 section 2.2)',
    remedy: 'Pass the path on to the app, with the body',
  },
  'clock-off': {
    level: 'wrong',
    says: "By {source}, the server's clock is {seconds} seconds {direction} the clock of this machine",
    remedy:
      'Set both clocks by NTP: `timedatectl set-ntp true`, `chronyc tracking`. Access tokens are judged by the clock of the server that verifies them',
  },
} as const satisfies Record<string, Words>
