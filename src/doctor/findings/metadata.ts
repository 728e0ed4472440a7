import type { Words } from './words'

/** What is wrong with the two metadata documents. */
export const metadataFindings = {
  'wrong-scheme': {
    level: 'wrong',
    says: '{member} is {value}: it begins with http, although the app is reached by https',
    remedy:
      "Set `baseUrl` to the https address. Without `baseUrl`: in nginx, `proxy_set_header X-Forwarded-Proto $scheme;`, and in Express `app.set('trust proxy', 1)`",
  },
  'wrong-host': {
    level: 'wrong',
    says: '{member} is {value}: it is on {host}, not on {expected}',
    remedy:
      'Set `baseUrl` to the public address (not that of staging). Without `baseUrl`, or with domains of companies: in nginx, `proxy_set_header Host $host;`',
  },
  'prefix-stripped': {
    level: 'wrong',
    says: 'The address has the path {given}, but the app knows {known}: the proxy removes {prefix} from it',
    remedy:
      'Set `baseUrl` to {base}, mount `signIn.wellKnown` at the root of the host, and pass /.well-known/ on as well',
  },
  'cached-other': {
    level: 'wrong',
    says: '{request} gets the document of another company or host from a cache: with a query that no cache knows, the right one comes',
    remedy:
      'Empty the cache, and put host and path into its key: in nginx, `proxy_cache_key $scheme$host$request_uri;`. A cache must heed `Vary`',
  },
  'resource-slash': {
    level: 'wrong',
    says: '`resource` is {value}, which differs from {address} by a slash at the end. Strict assistants, such as VS Code, refuse it',
    remedy: "Give customers {value} to paste, or write the address in the company's `resources` as customers paste it",
  },
  'resource-differs': {
    level: 'wrong',
    says: '`resource` is {value}, not {address}. Assistants refuse metadata of another resource',
    remedy: "Give customers the address {value}, or correct `path` of `protectedResource` and the company's resources",
  },
  'member-missing': {
    level: 'wrong',
    says: '{request} has no valid {member}',
    remedy: 'Look at what answers there: metadata of this library always has it',
  },
  'no-metadata': {
    level: 'wrong',
    says: 'The 401 names no metadata, and there is none at {url}, so assistants do not learn where to sign in',
    remedy:
      'Guard the API with `signIn.protectedResource({ path })`, which announces its metadata. If you do, mount `app.use(signIn)` at the root, before the handler of 404, and pass /.well-known/ on to the app',
  },
  'metadata-path': {
    level: 'wrong',
    says: 'The 401 names {value} as its metadata, but there is none; {found} has it',
    remedy: 'Set `baseUrl` to the address under which the app is reached, with its path',
  },
  'issuer-slash': {
    level: 'wrong',
    says: '`issuer` is {value}, which differs from {expected} by a slash at the end. Assistants refuse it (RFC 8414 section 3.3)',
    remedy: 'Use one spelling: `authorization_servers` of the resource and `issuer` must be the same text',
  },
  'issuer-differs': {
    level: 'wrong',
    says: '`issuer` is {value}, not {expected}. Assistants refuse it (RFC 8414 section 3.3)',
    remedy: 'Set the same `baseUrl` in all processes, and check that /.well-known/ leads to the same app as the API',
  },
  'metadata-not-at-root': {
    level: 'wrong',
    says: 'The metadata is at {found}, but not where RFC 8414 puts it, {url}',
    remedy:
      'Pass /.well-known/ of the host on to the app: in nginx, `location /.well-known/ { proxy_pass http://app; }`. With a path in `baseUrl`, also mount `signIn.wellKnown` at the root',
  },
  'no-way-in': {
    level: 'wrong',
    says: 'Clients can neither register nor be known by a metadata document, so no assistant can introduce itself',
    remedy:
      "Set `registration` or `metadataDocuments` to true (in the company's record too). Or put the client into the company's clients, and run the doctor with `--client-id`",
  },
  'no-pkce': {
    level: 'wrong',
    says: '`code_challenge_methods_supported` does not list `S256`. Assistants that follow the MCP specification stop here',
    remedy: 'List `S256`. Metadata of this library always has it',
  },
  'no-refresh': {
    level: 'warning',
    says: '`grant_types_supported` does not list `refresh_token`. Some assistants do not refresh then',
    remedy: 'List `refresh_token`. Metadata of this library always has it',
  },
  'no-code-flow': {
    level: 'wrong',
    says: '`response_types_supported` does not list `code`',
    remedy: 'List `code`. Metadata of this library always has it',
  },
  'content-type': {
    level: 'warning',
    says: '{request} is JSON, but its `Content-Type` is {type}',
    remedy: 'Send `application/json`: in nginx, remove `default_type` and `add_header Content-Type` from this location',
  },
  'cached-long': {
    level: 'warning',
    says: '{request} may be cached for {seconds} seconds, so a change of keys or addresses is seen late',
    remedy: 'Leave the `Cache-Control` of the app (5 minutes): in nginx, no `expires` in this location',
  },
  'head-refused': {
    level: 'warning',
    says: 'HEAD {url} is answered with {status}, although GET is answered with 200',
    remedy: 'Allow HEAD where GET is allowed: in nginx, `limit_except GET` allows it too',
  },
  'http-endpoint': {
    level: 'wrong',
    says: '{member} is {value}: it is not https',
    remedy: 'Use https for every endpoint, `externalEndpoints` included',
  },
} as const satisfies Record<string, Words>
