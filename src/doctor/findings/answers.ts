import type { Words } from './words'

/** Answers that did not come from the app, or not unchanged. */
export const answerFindings = {
  'redirect-https': {
    level: 'wrong',
    says: '{request} is redirected to https. Assistants do not repeat a POST at another address',
    remedy: 'Use {to} everywhere: in what customers paste, and in `baseUrl`',
  },
  'redirect-slash': {
    level: 'wrong',
    says: '{request} is redirected to the same address with another slash at its end',
    remedy:
      'Answer without a redirect: in nginx, a location with a slash at its end and `proxy_pass` redirects, so add `location = {path}`. Or give customers {to}',
  },
  'redirect-host': {
    level: 'wrong',
    says: '{request} is redirected to another host, {host}',
    remedy:
      'Use {to} in what customers paste, and set `baseUrl` to https://{host}. Or serve both hosts without a redirect',
  },
  redirected: {
    level: 'wrong',
    says: '{request} is redirected to {to}',
    remedy: 'Answer without a redirect: assistants follow none here, or lose the body or the token on the way',
  },
  'login-wall': {
    level: 'wrong',
    says: '{request} is redirected to a login page, {to}',
    remedy:
      'Exclude the API, /.well-known/ and the endpoints of the sign-in from the login that is in front (an access proxy, `auth_request`, session middleware)',
  },
  'password-asked': {
    level: 'wrong',
    says: '{request} asks for a password ({scheme})',
    remedy:
      'Switch the password off for the API, /.well-known/ and the endpoints of the sign-in: in nginx, `auth_basic off;`',
  },
  'bot-wall': {
    level: 'wrong',
    says: '{request} is answered by a bot protection or firewall with {status}, not by the app',
    remedy:
      'Add a rule that lets requests to the API, /.well-known/ and the endpoints of the sign-in through without a challenge. Assistants cannot solve one',
  },
  'rate-limited': {
    level: 'wrong',
    says: '{request} is refused with 429: too many requests',
    remedy:
      'Wait and try again. If nobody else has sent requests, raise the limit: the doctor sends about 30 requests in all',
  },
  'no-upstream': {
    level: 'wrong',
    says: '{request} is answered with {status}: the proxy gets no answer from the app',
    remedy: 'Start the app, and check the address and port in `proxy_pass` and the error log of the proxy',
  },
  'temporarily-unavailable': {
    level: 'wrong',
    says: '{request} is answered with {status} {error}: a store or a function of the host has failed',
    remedy: 'Look at the error events of `onEvent`: they say which one, and why',
  },
  'server-error': {
    level: 'wrong',
    says: '{request} is answered with {status}',
    remedy: 'Look into the log of the app and at the error events of `onEvent`',
  },
  'body-limit': {
    level: 'wrong',
    says: '{request} is refused with 413: its body is too large for the proxy, although it has less than 2,000 bytes',
    remedy: 'In nginx, `client_max_body_size 1m;` for the API, and at least 16k for the endpoints of the sign-in',
  },
  'header-limit': {
    level: 'wrong',
    says: '{request} is refused with {status} when its headers have {size} bytes, as with an access token',
    remedy:
      'In nginx, `large_client_header_buffers 4 16k;`, and in front of the app nothing that allows less than 8 KiB',
  },
  'error-page': {
    level: 'wrong',
    says: '{request} is answered with {status}, but an HTML page replaces the JSON of the answer',
    remedy: 'In nginx, `proxy_intercept_errors off;` and no `error_page` for 400, 401, 403, 404 in these locations',
  },
  'not-routed': {
    level: 'wrong',
    says: '{request} is answered with 404: the request does not reach the sign-in',
    remedy:
      "In the app, mount `app.use(signIn)` at the root, before the handlers of pages and of 404. In the proxy, pass {path} on to the app: in nginx, `location {place} { proxy_pass http://app; }` with no path after the app's address",
  },
  'method-refused': {
    level: 'wrong',
    says: '{request} is answered with 405: the method is not allowed there',
    remedy:
      'Pass the request to the app unchanged: look for `limit_except` and for a static folder at {path}. A redirect of POST in front turns it into GET',
  },
  'html-page': {
    level: 'wrong',
    says: '{request} is answered with a web page in place of JSON',
    remedy:
      'In the app, mount `app.use(signIn)` at the root, before static files and catch-all routes. In the proxy, pass {path} on to the app before the pages of a website: in nginx, `location {place} { proxy_pass http://app; }` above `location /` with `try_files`',
  },
  'not-json': {
    level: 'wrong',
    says: '{request} is answered with something that is no JSON object ({type})',
    remedy: 'Look at what answers there: it is not the sign-in, or something in front changes its answers',
  },
  'unexpected-status': {
    level: 'wrong',
    says: '{request} is answered with {status}, where {expected} was expected',
    remedy: 'Look into the log of the proxy and of the app for this request',
  },
  'cached-404': {
    level: 'wrong',
    says: '{request} is answered with 404 from a cache: with a query that no cache knows, the app answers with {status}',
    remedy:
      'Empty the cache, and do not cache errors: in nginx, `proxy_cache_valid 200 5m;` and no line for any or 404',
  },
} as const satisfies Record<string, Words>
