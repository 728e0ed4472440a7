import type { Words } from './words'

/** What is wrong with the API's own answer. */
export const apiFindings = {
  'company-unknown': {
    level: 'wrong',
    says: '{request} is answered with 404: the sign-in knows no company or API at this address',
    remedy:
      'Check the key or domain of the company in the address, what `tenantStore` finds for it, and that its `resources` list this API',
  },
  'api-not-found': {
    level: 'wrong',
    says: '{request} is answered with 404, where 401 was expected',
    remedy:
      'Check the address. Then check that the proxy passes {path} to the app, and that the app has a route there, such as `app.all(path, signIn.protectedResource({ path }), mcp)`',
  },
  'api-hidden': {
    level: 'wrong',
    says: '{request} without a token is answered with 404, where 401 was expected. Its metadata is there, so the API is too',
    remedy:
      'Answer 401: in nginx, `proxy_intercept_errors off;` and no `error_page 401 =404`. In the app, put the guard before what hides the API from strangers',
  },
  'api-open': {
    level: 'wrong',
    says: '{request} is answered with {status} without a token',
    remedy: 'Put `signIn.protectedResource({ path })` in front of the API, for every method: `app.all(path, …)`',
  },
  'api-forbidden': {
    level: 'wrong',
    says: '{request} without a token is answered with 403, where 401 was expected',
    remedy:
      'Look for what refuses before the guard: a firewall, a list of addresses, CSRF protection, or a check of the Origin header',
  },
  'no-challenge': {
    level: 'wrong',
    says: 'The 401 of {request} has no `WWW-Authenticate` header, so assistants do not learn where to sign in',
    remedy:
      'Let the proxy pass the header on: in nginx, remove `proxy_hide_header WWW-Authenticate` and `more_clear_headers`. If there is no proxy, guard the API with `signIn.protectedResource`',
  },
  'challenge-not-bearer': {
    level: 'wrong',
    says: 'The `WWW-Authenticate` header of {request} has no `Bearer` challenge ({scheme})',
    remedy:
      'Guard the API with `signIn.protectedResource`, and switch off what asks for another kind of login in front of it',
  },
  'no-metadata-address': {
    level: 'warning',
    says: 'The 401 of {request} names no `resource_metadata`. Assistants have to guess where the metadata is',
    remedy: 'Guard the API with `signIn.protectedResource({ path })`: `requireAccessToken` announces no metadata',
  },
  'get-before-token': {
    level: 'warning',
    says: 'GET is answered with {status}, without asking for a token. Assistants whose first request is a GET do not find the sign-in',
    remedy:
      'Put the guard in front of every method: `app.all(path, signIn.protectedResource({ path }))`, and `app.post(path, mcp)` after it',
  },
  'post-before-token': {
    level: 'warning',
    says: 'POST is answered with {status}, without asking for a token. If this is an MCP server, no assistant can connect',
    remedy:
      'Put the guard in front of every method: `app.all(path, signIn.protectedResource({ path }))`. For an API without POST, this is fine',
  },
  'authorization-dropped': {
    level: 'wrong',
    says: '{request} with an `Authorization` header is answered as if there were none',
    remedy:
      'Pass the header on: in nginx, `proxy_set_header Authorization $http_authorization;`, in Apache `CGIPassAuth On`, in CloudFront an origin request policy with `Authorization`',
  },
  'token-not-refused': {
    level: 'wrong',
    says: '{request} with a made-up token is answered with {status}, where 401 was expected',
    remedy:
      'Check that the guard is in front of the API for every method, and that nothing in front answers 200 for errors',
  },
} as const satisfies Record<string, Words>
