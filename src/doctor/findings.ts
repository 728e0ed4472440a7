// More than 300 lines: one table of words.

const wrong = <const Says extends string, const Remedy extends string>(says: Says, remedy: Remedy) =>
  ({ level: 'wrong', says, remedy }) as const
const warning = <const Says extends string, const Remedy extends string>(says: Says, remedy: Remedy) =>
  ({ level: 'warning', says, remedy }) as const

/**
 * Everything that the doctor can find: what was seen, and what to change. What stands in braces is filled in. docs/doctor.md has the same words.
 * `wrong`: an assistant cannot connect, or not every one. `warning`: it works, but not as it should.
 */
export const findings = {
  // Why there is no answer at all.
  'not-https': wrong(
    '{url} is not https. Assistants send tokens only over https',
    'Give customers an https address, and set `baseUrl` to it. (http is for development on localhost.)',
  ),
  'plain-http': warning(
    '{request} is answered with {status} over http too, where others can read a token',
    'Redirect http to https: in nginx, `return 308 https://$host$request_uri;` in the server block of port 80',
  ),
  dns: wrong(
    'DNS knows no address of {host}',
    'Create an A, AAAA or CNAME record for {host}, or correct the name. A new record can take minutes to be seen',
  ),
  'dns-server': wrong(
    'The DNS server did not answer for {host}',
    'Check the name servers of the domain, and the DNS settings of this machine',
  ),
  refused: wrong(
    '{host} refuses connections at port {port}',
    'Start the proxy or the app, make it listen at port {port} on the public address, and open the port in the firewall',
  ),
  'no-route': wrong(
    'No connection to {host} can be made',
    'Check the address in DNS, the routes, and the firewall or security group in front of the server',
  ),
  timeout: wrong(
    '{url} did not answer within {seconds} seconds',
    'Look for a firewall that drops packets, and in the error log of the proxy for an upstream that hangs',
  ),
  closed: wrong(
    '{host} ends the connection without an answer ({reason})',
    'Look into the error log of the proxy. nginx does this for `return 444`, for a listen with `proxy_protocol`, and when a TLS handshake fails',
  ),
  'not-http': wrong('{host} does not answer with HTTP', 'Correct the port: another service listens there'),
  'too-large': wrong(
    '{url} answers with more than {limit}',
    'Look at what answers there: no response of a sign-in is that large',
  ),
  'tls-expired': wrong(
    'The certificate of {host} has expired',
    'Renew it, and reload the proxy: `nginx -s reload`. Check that the renewal runs by itself (`certbot renew --dry-run`)',
  ),
  'tls-not-yet-valid': wrong(
    'The certificate of {host} is not valid yet',
    'Set the clock of this machine, or install the certificate that is valid now',
  ),
  'tls-wrong-host': wrong(
    'The certificate is for {names}, not for {host}',
    'Get a certificate that names {host}. If there is one, add {host} to the `server_name` of the server block that has it',
  ),
  'tls-incomplete-chain': wrong(
    '{host} sends its certificate without the intermediate certificate that leads to the authority',
    'Send the whole chain: in nginx, `ssl_certificate` must be the file `fullchain.pem`, not `cert.pem`',
  ),
  'tls-self-signed': wrong(
    'The certificate of {host} is self-signed',
    "Install one of a public authority, such as Let's Encrypt. To test with your own, set `NODE_EXTRA_CA_CERTS` for the doctor",
  ),
  'tls-unknown-authority': wrong(
    'The certificate of {host} is from an authority that this machine does not know',
    'Install one of a public authority, with its whole chain. To test with an authority of your own, set `NODE_EXTRA_CA_CERTS` for the doctor',
  ),
  'tls-plain-http': wrong(
    'The port of {host} speaks http, not https',
    'In nginx, write `listen 443 ssl;`, or correct the port in the address',
  ),
  'tls-failed': wrong(
    'The TLS handshake with {host} fails ({reason})',
    'Allow TLS 1.2 and 1.3: in nginx, `ssl_protocols TLSv1.2 TLSv1.3;` and check that no client certificate is asked for (`ssl_verify_client`)',
  ),

  // Answers that did not come from the app, or not unchanged.
  'redirect-https': wrong(
    '{request} is redirected to https. Assistants do not repeat a POST at another address',
    'Use {to} everywhere: in what customers paste, and in `baseUrl`',
  ),
  'redirect-slash': wrong(
    '{request} is redirected to the same address with another slash at its end',
    'Answer without a redirect: in nginx, a location with a slash at its end and `proxy_pass` redirects, so add `location = {path}`. Or give customers {to}',
  ),
  'redirect-host': wrong(
    '{request} is redirected to another host, {host}',
    'Use {to} in what customers paste, and set `baseUrl` to https://{host}. Or serve both hosts without a redirect',
  ),
  redirected: wrong(
    '{request} is redirected to {to}',
    'Answer without a redirect: assistants follow none here, or lose the body or the token on the way',
  ),
  'login-wall': wrong(
    '{request} is redirected to a login page, {to}',
    'Exclude the API, /.well-known/ and the endpoints of the sign-in from the login that is in front (an access proxy, `auth_request`, session middleware)',
  ),
  'password-asked': wrong(
    '{request} asks for a password ({scheme})',
    'Switch the password off for the API, /.well-known/ and the endpoints of the sign-in: in nginx, `auth_basic off;`',
  ),
  'bot-wall': wrong(
    '{request} is answered by a bot protection or firewall with {status}, not by the app',
    'Add a rule that lets requests to the API, /.well-known/ and the endpoints of the sign-in through without a challenge. Assistants cannot solve one',
  ),
  'rate-limited': wrong(
    '{request} is refused with 429: too many requests',
    'Wait and try again. If nobody else has sent requests, raise the limit: the doctor sends about 30 requests in all',
  ),
  'no-upstream': wrong(
    '{request} is answered with {status}: the proxy gets no answer from the app',
    'Start the app, and check the address and port in `proxy_pass` and the error log of the proxy',
  ),
  'temporarily-unavailable': wrong(
    '{request} is answered with {status} {error}: a store or a function of the host has failed',
    'Look at the error events of `onEvent`: they say which one, and why',
  ),
  'server-error': wrong(
    '{request} is answered with {status}',
    'Look into the log of the app and at the error events of `onEvent`',
  ),
  'body-limit': wrong(
    '{request} is refused with 413: its body is too large for the proxy, although it has less than 2,000 bytes',
    'In nginx, `client_max_body_size 1m;` for the API, and at least 16k for the endpoints of the sign-in',
  ),
  'header-limit': wrong(
    '{request} is refused with {status} when its headers have {size} bytes, as with an access token',
    'In nginx, `large_client_header_buffers 4 16k;`, and in front of the app nothing that allows less than 8 KiB',
  ),
  'error-page': wrong(
    '{request} is answered with {status}, but an HTML page replaces the JSON of the answer',
    'In nginx, `proxy_intercept_errors off;` and no `error_page` for 400, 401, 403, 404 in these locations',
  ),
  'not-routed': wrong(
    '{request} is answered with 404: the request does not reach the sign-in',
    "In the app, mount `app.use(signIn)` at the root, before the handlers of pages and of 404. In the proxy, pass {path} on to the app: in nginx, `location {place} { proxy_pass http://app; }` with no path after the app's address",
  ),
  'method-refused': wrong(
    '{request} is answered with 405: the method is not allowed there',
    'Pass the request to the app unchanged: look for `limit_except` and for a static folder at {path}. A redirect of POST in front turns it into GET',
  ),
  'html-page': wrong(
    '{request} is answered with a web page in place of JSON',
    'In the app, mount `app.use(signIn)` at the root, before static files and catch-all routes. In the proxy, pass {path} on to the app before the pages of a website: in nginx, `location {place} { proxy_pass http://app; }` above `location /` with `try_files`',
  ),
  'not-json': wrong(
    '{request} is answered with something that is no JSON object (`Content-Type`: {type})',
    'Look at what answers there: it is not the sign-in, or something in front changes its answers',
  ),
  'unexpected-status': wrong(
    '{request} is answered with {status}, where {expected} was expected',
    'Look into the log of the proxy and of the app for this request',
  ),
  'cached-404': wrong(
    '{request} is answered with 404 from a cache: with a query that no cache knows, the app answers with {status}',
    'Empty the cache, and do not cache errors: in nginx, `proxy_cache_valid 200 5m;` and no line for any or 404',
  ),

  // What is wrong with the API's own answer.
  'company-unknown': wrong(
    '{request} is answered with 404: the sign-in knows no company or API at this address',
    'Check the key or domain of the company in the address, what `tenantStore` finds for it, and that its `resources` list this API',
  ),
  'api-not-found': wrong(
    '{request} is answered with 404, where 401 was expected',
    'Check the address. Then check that the proxy passes {path} to the app, and that the app has a route there, such as `app.all(path, signIn.protectedResource({ path }), mcp)`',
  ),
  'api-hidden': wrong(
    '{request} without a token is answered with 404, where 401 was expected. Its metadata is there, so the API is too',
    'Answer 401: in nginx, `proxy_intercept_errors off;` and no `error_page 401 =404`. In the app, put the guard before what hides the API from strangers',
  ),
  'api-open': wrong(
    '{request} is answered with {status} without a token',
    'Put `signIn.protectedResource({ path })` in front of the API, for every method: `app.all(path, …)`',
  ),
  'api-forbidden': wrong(
    '{request} without a token is answered with 403, where 401 was expected',
    'Look for what refuses before the guard: a firewall, a list of addresses, CSRF protection, or a check of the Origin header',
  ),
  'no-challenge': wrong(
    'The 401 of {request} has no `WWW-Authenticate` header, so assistants do not learn where to sign in',
    'Let the proxy pass the header on: in nginx, remove `proxy_hide_header WWW-Authenticate` and `more_clear_headers`. If there is no proxy, guard the API with `signIn.protectedResource`',
  ),
  'challenge-not-bearer': wrong(
    'The `WWW-Authenticate` header of {request} has no `Bearer` challenge ({scheme})',
    'Guard the API with `signIn.protectedResource`, and switch off what asks for another kind of login in front of it',
  ),
  'no-metadata-address': warning(
    'The 401 of {request} names no `resource_metadata`. Assistants have to guess where the metadata is',
    'Guard the API with `signIn.protectedResource({ path })`: `requireAccessToken` announces no metadata',
  ),
  'get-before-token': warning(
    'GET is answered with {status}, without asking for a token. Assistants whose first request is a GET do not find the sign-in',
    'Put the guard in front of every method: `app.all(path, signIn.protectedResource({ path }))`, and `app.post(path, mcp)` after it',
  ),
  'post-before-token': warning(
    'POST is answered with {status}, without asking for a token. If this is an MCP server, no assistant can connect',
    'Put the guard in front of every method: `app.all(path, signIn.protectedResource({ path }))`. For an API without POST, this is fine',
  ),
  'proof-refused': wrong(
    '{request} with a right DPoP proof is refused: {description}',
    'Set `baseUrl` to the address that clients use, and the clocks of all servers by NTP',
  ),
  'proof-dropped': wrong(
    '{request} with a `DPoP` header is answered as if there were none',
    'Pass the header on: nginx does, unless `proxy_pass_request_headers` is off; in CloudFront, an origin request policy with `DPoP`',
  ),
  'authorization-dropped': wrong(
    '{request} with an `Authorization` header is answered as if there were none',
    'Pass the header on: in nginx, `proxy_set_header Authorization $http_authorization;`, in Apache `CGIPassAuth On`, in CloudFront an origin request policy with `Authorization`',
  ),
  'token-not-refused': wrong(
    '{request} with a made-up token is answered with {status}, where 401 was expected',
    'Check that the guard is in front of the API for every method, and that nothing in front answers 200 for errors',
  ),

  // What is wrong with the two metadata documents.
  'wrong-scheme': wrong(
    '{member} is {value}: it begins with http, although the app is reached by https',
    "Set `baseUrl` to the https address. Without `baseUrl`: in nginx, `proxy_set_header X-Forwarded-Proto $scheme;`, and in Express `app.set('trust proxy', 1)`",
  ),
  'wrong-host': wrong(
    '{member} is {value}: it is on {host}, not on {expected}',
    'Set `baseUrl` to the public address (not that of staging). Without `baseUrl`, or with domains of companies: in nginx, `proxy_set_header Host $host;`',
  ),
  'prefix-stripped': wrong(
    'The address has the path {given}, but the app knows {known}: the proxy removes {prefix} from it',
    'Set `baseUrl` to {base}, mount `signIn.wellKnown` at the root of the host, and pass /.well-known/ on as well',
  ),
  'cached-other': wrong(
    '{request} gets the document of another company or host from a cache: with a query that no cache knows, the right one comes',
    'Empty the cache, and put host and path into its key: in nginx, `proxy_cache_key $scheme$host$request_uri;`. A cache must heed `Vary`',
  ),
  'resource-slash': wrong(
    '`resource` is {value}, which differs from {address} by a slash at the end. Strict assistants, such as VS Code, refuse it',
    "Give customers {value} to paste, or write the address in the company's `resources` as customers paste it",
  ),
  'resource-differs': wrong(
    '`resource` is {value}, not {address}. Assistants refuse metadata of another resource',
    "Give customers the address {value}, or correct `path` of `protectedResource` and the company's resources",
  ),
  'member-missing': wrong(
    'The answer to {request} has no valid {member}',
    'Look at what answers there, and at what changes answers on the way: those of this library always have it',
  ),
  'no-metadata': wrong(
    'The 401 names no metadata, and there is none at {url}, so assistants do not learn where to sign in',
    'Guard the API with `signIn.protectedResource({ path })`, which announces its metadata. If you do, mount `app.use(signIn)` at the root, before the handler of 404, and pass /.well-known/ on to the app',
  ),
  'metadata-path': wrong(
    'The 401 names {value} as its metadata, but there is none; {found} has it',
    'Set `baseUrl` to the address under which the app is reached, with its path',
  ),
  'issuer-slash': wrong(
    '`issuer` is {value}, which differs from {expected} by a slash at the end. Assistants refuse it (RFC 8414 section 3.3)',
    'Use one spelling: `authorization_servers` of the resource and `issuer` must be the same text',
  ),
  'issuer-differs': wrong(
    '`issuer` is {value}, not {expected}. Assistants refuse it (RFC 8414 section 3.3)',
    'Set the same `baseUrl` in all processes, and check that /.well-known/ leads to the same app as the API',
  ),
  'metadata-not-at-root': wrong(
    'The metadata is at {found}, but not where RFC 8414 puts it, {url}',
    'Pass /.well-known/ of the host on to the app: in nginx, `location /.well-known/ { proxy_pass http://app; }`. With a path in `baseUrl`, also mount `signIn.wellKnown` at the root',
  ),
  'no-way-in': wrong(
    'Clients can neither register nor be known by a metadata document, so no assistant can introduce itself',
    "Set `clients.registration` or `clients.documents` to true (in the company's record `registration` or `metadataDocuments`). Or put the client into the company's clients, and run the doctor with `--client-id`",
  ),
  'not-listed': wrong(
    '`{member}` does not list `{value}`. Assistants stop here',
    'List it. Metadata of this library always does',
  ),
  'no-refresh': warning(
    '`grant_types_supported` does not list `refresh_token`. Some assistants do not refresh then',
    'List `refresh_token`. Metadata of this library always has it',
  ),
  'content-type': warning(
    '{request} is JSON, but its `Content-Type` is {type}',
    'Send `application/json`: in nginx, remove `default_type` and `add_header Content-Type` from this location',
  ),
  'cached-long': warning(
    '{request} may be cached for {seconds} seconds, so a change of keys or addresses is seen late',
    'Leave the `Cache-Control` of the app (5 minutes): in nginx, no `expires` in this location',
  ),
  'head-refused': warning(
    '{request} is answered with {status}, although GET is answered with 200',
    'Allow HEAD where GET is allowed: in nginx, `limit_except GET` allows it too',
  ),
  'http-endpoint': wrong(
    '{member} is {value}: it is not https',
    'Use https for every endpoint, `externalEndpoints` included',
  ),

  // What clients that run in a browser cannot read (CORS).
  'preflight-refused': wrong(
    'The CORS preflight {request} is answered {how}. Clients in a browser cannot call it',
    'Pass OPTIONS on to the app, before any login or guard, and answer none in the proxy: in nginx, remove `if ($request_method = OPTIONS)` and `limit_except`',
  ),
  'preflight-headers': wrong(
    'The CORS preflight {request} does not allow the header {header}',
    'Allow `Authorization`, `Content-Type`, `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name`. The endpoints of this library do: look for cors middleware or a proxy that answers in front of them',
  ),
  'no-cors': wrong(
    '{request} is answered without `Access-Control-Allow-Origin`. Clients in a browser cannot read it',
    'Pass the header on: in nginx, remove `proxy_hide_header Access-Control-Allow-Origin`. The endpoints of this library send it',
  ),
  'cors-twice': wrong(
    '{request} has `Access-Control-Allow-Origin` twice ({value}). Browsers refuse that',
    'Remove `add_header Access-Control-Allow-Origin` from the proxy: the app sends the header itself',
  ),
  'cors-other-origin': wrong(
    '{request} allows only {value} by CORS. Clients in a browser are on other origins',
    'Mount cors middleware behind the sign-in, or allow every origin (*) for its endpoints',
  ),
  'challenge-not-exposed': wrong(
    '{request} can be read by clients in a browser, but not its `WWW-Authenticate` header, so they do not find the sign-in',
    "Expose it: `cors({ exposedHeaders: ['WWW-Authenticate'] })`, or in nginx, `add_header Access-Control-Expose-Headers WWW-Authenticate always;`",
  ),

  // What is wrong with the endpoints of the authorization server.
  'no-keys': wrong(
    '{url} has no keys, so nobody can verify an access token',
    'Set `keys.signing`, and look at what answers there',
  ),
  'keys-differ': wrong(
    '{url} has other keys from one request to the next, so what one process issues, another refuses',
    'Give all processes the same `keys`. If you are replacing keys at this moment, wait until all processes have the new ones',
  ),
  'private-keys': wrong(
    '{url} shows a private key to everybody',
    'Replace the key at once: whoever has read it can make access tokens. Then remove what serves this document: the key set of this library has public keys only',
  ),
  'registration-off': wrong(
    'The metadata announces registration, but a client is refused: {description}',
    "Set `registration` to true in the options and in the company's record, or wait until the metadata in caches has expired (5 minutes)",
  ),
  'registration-refused': wrong(
    'A client with a redirect URI on its own device is not registered: {status} {error} {description}',
    "Look at the denied events of `onEvent`. With `clients.allowed` or the record's `allowedClients`, add `127.0.0.1` to `redirectHosts` if apps on the customer's device may connect. If it is about the method, add none to `clients.authentication`",
  ),
  'body-lost': wrong(
    '{request} was sent with a body, but the server did not get it: {description}',
    'Pass the body on: in nginx, remove `proxy_pass_request_body off` and `proxy_set_header Content-Length`. In the app, mount `signIn` before middleware that reads bodies, or let that keep them',
  ),
  'document-refused': warning(
    'The metadata document of {client} is not accepted: {status} {error}',
    'If the company means to refuse this assistant, this is fine. If not, let the servers connect to the internet (port 443), and look at the denied events of `onEvent`',
  ),
  'authorize-missing': wrong(
    '{request} is answered with 404: there is no page to sign in on',
    'Set the option `authenticate`, or serve an authorize page of your own there. Check that the proxy passes the path on to the app',
  ),
  'authorize-taken': wrong(
    '{request} shows the same page to a client that does not exist: another app answers there',
    'Pass {path} on to the sign-in, before the pages of a website: `app.use(signIn)` before static files and catch-all routes',
  ),
  'authorize-unchecked': warning(
    '{request} sends a client that does not exist to the same login page, {to}',
    'Look for a login in front of the sign-in (an access proxy, `auth_request`), which hides its pages. If the server checks the client after the login, this is fine',
  ),
  'authorize-refused': wrong(
    '{request} refuses a client that has just been accepted: {status} {error}',
    'Look at the denied and error events of `onEvent`: their reason says why',
  ),
  'authenticate-fails': wrong(
    '{request} shows the error page of the sign-in, with {status} {error}: `authenticate`, or a store, has failed',
    'Look at the error events of `onEvent`: they say which one, and why. If `authenticate` finds no session, mount the session middleware before `app.use(signIn)`',
  ),
  'authorize-http': wrong(
    '{request} sends the browser to {to}, which is not https',
    'Redirect to the login page with a path alone, or with the https address. In nginx, `proxy_redirect` must not write http',
  ),
  'login-page-fails': wrong(
    '{request} sends the browser to {to}, which is answered with {status}',
    'Correct the address to which `authenticate` redirects, and pass it on to the app',
  ),
  'cookie-strict': warning(
    '{request} sets the cookie {name} with `SameSite=Strict`. If it is that of the session, customers who come from an assistant have to log in each time',
    'Use `SameSite=Lax` for the cookie of the session',
  ),
  'authorize-cached': wrong(
    '{request} may be cached ({value}), so one customer could get the page of another',
    'Do not cache the endpoints of the sign-in: in nginx, `proxy_cache off;` and no `expires` in this location',
  ),
  'page-framed': warning(
    '{request} shows a page that other sites can put into a frame (clickjacking)',
    "Send `Content-Security-Policy: frame-ancestors 'none'`, or pass that of the app on",
  ),
  'opener-cut': warning(
    '{request} has `Cross-Origin-Opener-Policy`: {value}. Clients in a browser lose the window in which the customer signs in',
    'Leave the header of the app (`unsafe-none`): remove it from the proxy, and mount helmet before `signIn`',
  ),
  'client-not-shared': wrong(
    '{request} does not know the client that was registered a moment ago',
    'Pass all endpoints of the sign-in on to the same app, with `client_id` unchanged, and give all of its processes the same version and the same options',
  ),
  'client-unknown': wrong(
    '{request} does not know the client {client}',
    "Check `--client-id`, and that the company's clients have it",
  ),
  'wrong-error': wrong(
    '{request} answers a wrong code with {status} {error}, where 400 `invalid_grant` was expected. {description}',
    'Look at the denied events of `onEvent`, and at what changes the request or the answer on the way',
  ),
  'token-cached': warning(
    '{request} is answered without `Cache-Control: no-store`',
    'Pass the header of the app on: in nginx, no `proxy_hide_header Cache-Control` and no `expires` in this location',
  ),
  'revocation-fails': wrong(
    '{request} answers an unknown token with {status} {error}, where 200 was expected (RFC 7009 section 2.2)',
    'Pass the path on to the app, with the body',
  ),
  'clock-off': wrong(
    "By {source}, the server's clock is {seconds} seconds {direction} the clock of this machine",
    'Set both clocks by NTP: `timedatectl set-ntp true`, `chronyc tracking`. Access tokens are judged by the clock of the server that verifies them',
  ),

  // What goes wrong with --login, when somebody has signed in.
  'sign-in-abandoned': wrong(
    'The browser did not come back within {minutes} minutes',
    "Open the printed address in a browser on this machine, and sign in. If the login page comes again and again, the cookie of the session does not arrive: behind a proxy, a `Secure` one needs `app.set('trust proxy', 1)` in Express. If a page shows an error, look at the denied events of `onEvent`",
  ),
  'sign-in-refused': wrong(
    'The browser came back with the error {error}. {description}',
    'If you pressed Deny, this is right. If not, look at the denied and error events of `onEvent`',
  ),
  'no-code': wrong(
    'The browser came back without a code',
    'Look at what redirects the browser: the query must arrive unchanged',
  ),
  'state-differs': wrong(
    'The browser came back with another `state` than it was sent with',
    'Return `state` unchanged. On an authorize page of your own, use `redirectTo` of `issueAuthorizationCode`',
  ),
  'iss-differs': wrong(
    'The browser came back with the `iss` {value}, not {expected}. Assistants refuse it (RFC 9207)',
    'Set the same `baseUrl` in all processes. A company with `formerBaseUrls` needs `redirectTo` of `issueAuthorizationCode` unchanged',
  ),
  'credential-refused': wrong(
    'The {credential} is refused: {status} {error}. {description}',
    'Give all processes the same store and `keys`, and look at the denied and replayed events of `onEvent`',
  ),
  'no-refresh-token': warning(
    'The token response has no `refresh_token`, so the customer signs in again whenever the access token expires',
    "If the client's record has `grantTypes`, add `refresh_token`",
  ),
  'token-rejected': wrong(
    '{request} refuses the access token that was just issued: {status} {error}. {description}',
    'Guard the API with the same tenant, `baseUrl` and `keys.signing` as the sign-in. Check the clocks of the servers',
  ),
  'scope-insufficient': wrong(
    '{request} refuses the access token, because it lacks the scope {scope}',
    "Put these scopes into `scopes` of `protectedResource`, so that the 401 asks for them, and into the company's scopes",
  ),
  'body-read-before': wrong(
    '{request} with a valid access token is answered with 400: the MCP server could not read a message that is valid JSON',
    'A body parser in front, such as `app.use(express.json())`, has read the body: give it to the transport, `transport.handleRequest(req, res, req.body)`',
  ),
  'call-fails': wrong('{request} with a valid access token is answered with {status}', 'Look into the log of the API'),
  'revocation-without-effect': wrong(
    'After the revocation, the refresh token still works',
    'Check that `revocation_endpoint` leads to the same app and store as `token_endpoint`',
  ),
} as const

export type FindingCode = keyof typeof findings

/** The values that the words of a finding need. An `Answer` has those about a request. */
export type ValuesIn<Code extends FindingCode> = Record<
  NamesIn<(typeof findings)[Code]['says' | 'remedy']>,
  string | number
>

/** The names in braces. A space makes it a block of nginx. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? (Name extends `${string} ${string}` ? never : Name) | NamesIn<Rest>
  : never

/** A finding, before it is put into words. Thrown, it ends its step. */
export class Fault extends Error {
  constructor(
    readonly code: FindingCode,
    readonly values: Readonly<Record<string, unknown>>,
  ) {
    super(findings[code].says)
  }
}

/** Makes a finding of a code and the values that its words need. */
export function fault<Code extends FindingCode>(code: Code, values: ValuesIn<Code>): Fault {
  return new Fault(code, values)
}
