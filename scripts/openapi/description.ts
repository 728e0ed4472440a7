import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientAuthenticationMethod } from '../../src/client-authentication/method'
import { algorithmsOf } from '../../src/client-authentication/methods'
import { type GrantTypeName, grantTypes } from '../../src/protocol/grant-types'
import { type AnsweredCode, answeredCodes } from '../../src/protocol/oauth-error-codes'
import { protectedResourcePath } from '../../src/protocol/resource'
import { metadataPath, readMethods, routesOf } from '../../src/router'
import type { EndpointName } from '../../src/telemetry/messages'

type Schema = Readonly<Record<string, unknown>>

/** What an endpoint takes and gives. Its path and its methods are those of the router's own table. */
interface Operation {
  summary: string
  /** The RFC section that defines the endpoint. */
  source: string
  /** What a client sends: a body of this type, or without a type the query of a GET and the form of a POST. */
  request?: { type?: 'application/x-www-form-urlencoded' | 'application/json'; schema: Schema }
  success: { status: 200 | 201 | 303; description: string; schema?: Schema }
  errors: readonly AnsweredCode[]
}

const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more })
const uri = (description: string): Schema => text(description, { format: 'uri' })
const texts = (description: string): Schema => ({ type: 'array', items: { type: 'string' }, description })
const object = (properties: Schema, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
})
const named = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

const always = [
  'invalid_request',
  'not_found',
  'method_not_allowed',
  'server_error',
  'temporarily_unavailable',
] as const
const ofDocuments = ['not_found', 'method_not_allowed', 'server_error', 'temporarily_unavailable'] as const

const scope = text('Scopes, with spaces between them (RFC 6749 section 3.3).')
const resource = uri(
  'The API that the tokens are for (RFC 8707). Default: the API of the grant, or else the first of the company.',
)

/** What each grant type sends, in addition to `grant_type` and what tells and authenticates the client. */
const grantRequests: Record<GrantTypeName, Schema> = {
  authorization_code: object(
    {
      code: text('The authorization code. It can be redeemed once.'),
      redirect_uri: uri('The `redirect_uri` of the authorization request.'),
      code_verifier: text('What `code_challenge` was made from (RFC 7636).', { pattern: '^[A-Za-z0-9._~-]{43,128}$' }),
      resource,
    },
    ['code', 'redirect_uri', 'code_verifier'],
  ),
  client_credentials: object({ scope, resource }),
  refresh_token: object(
    { refresh_token: text('The newest refresh token. The response has the next one.'), scope, resource },
    ['refresh_token'],
  ),
  'urn:ietf:params:oauth:grant-type:jwt-bearer': object(
    {
      assertion: text('A JWT of an issuer that the company trusts (RFC 7523). It can be redeemed once.'),
      scope,
      resource,
    },
    ['assertion'],
  ),
}

/** What each method of client authentication sends in the form. A company has the methods that its metadata names. */
const authentication: Record<ClientAuthenticationMethod, Schema> = {
  none: {},
  client_secret_basic: {},
  client_secret_post: { client_secret: text('The secret of a client that authenticates with `client_secret_post`.') },
  private_key_jwt: {
    client_assertion_type: { const: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' },
    client_assertion: text(
      `A JWT that the client has signed (RFC 7523), with ${algorithmsOf(['private_key_jwt'])?.join(', ')}.`,
    ),
  },
}
const client: Schema = {
  client_id: text('The client, unless the Basic user name or an assertion says it.'),
  ...Object.assign({}, ...Object.values(authentication)),
}

const authorizationRequest = object(
  {
    response_type: { const: 'code' },
    client_id: text('An id of the company, one that `register` has given, or the address of a metadata document.'),
    redirect_uri: uri('Where the browser is sent with the code. Required.'),
    code_challenge: text('BASE64URL(SHA256(code_verifier)) (RFC 7636 section 4.2).', {
      pattern: '^[A-Za-z0-9_-]{43}$',
    }),
    code_challenge_method: { const: 'S256' },
    state: text('Comes back as it is.'),
    scope,
    resource,
    prompt: text('`none`, `login`, `consent` or `select_account`.'),
    login_hint: text('Who is expected to log in.'),
    ui_locales: text('Languages for the pages, with spaces between them.'),
    response_mode: { const: 'query' },
  },
  ['response_type', 'client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method'],
)

const registration: Schema = {
  redirect_uris: {
    type: 'array',
    items: { type: 'string', format: 'uri' },
    minItems: 1,
    description: 'Where codes may be sent.',
  },
  client_name: text('The name that the consent page shows, as one that the client has chosen itself.'),
  client_uri: uri('The web page of the client.'),
  scope,
  token_endpoint_auth_method: {
    enum: Object.keys(authentication),
    description: 'How the client authenticates. One that the metadata names.',
  },
  jwks: {
    type: 'object',
    description: 'The public keys of a client that authenticates with `private_key_jwt` (RFC 7517).',
  },
  jwks_uri: uri('The address of these keys.'),
  grant_types: { type: 'array', items: { enum: grantTypes }, description: 'What the client may send as `grant_type`.' },
  response_types: { type: 'array', items: { const: 'code' } },
}

const operations: Record<EndpointName, Operation> = {
  authorize: {
    summary: 'Asks the customer, and sends the browser back with a code',
    source: 'RFC 6749 section 4.1.1',
    request: { schema: authorizationRequest },
    success: {
      status: 303,
      description:
        'To the client: `code`, `state` and `iss` (RFC 9207), or `error` and `error_description`. Before that, a page that asks the customer, or a redirect to the login page of the host.',
    },
    errors: [
      'invalid_request',
      'invalid_client',
      'unauthorized_client',
      'interaction_required',
      'not_found',
      'method_not_allowed',
      'server_error',
      'temporarily_unavailable',
    ],
  },
  token: {
    summary: 'Gives an access token, and the next refresh token',
    source: 'RFC 6749 section 3.2',
    request: { type: 'application/x-www-form-urlencoded', schema: named('TokenRequest') },
    success: { status: 200, description: 'The tokens', schema: named('Tokens') },
    errors: [
      ...always,
      'invalid_client',
      'invalid_grant',
      'unauthorized_client',
      'unsupported_grant_type',
      'invalid_scope',
      'invalid_target',
    ],
  },
  register: {
    summary: 'Registers a client',
    source: 'RFC 7591 section 3',
    request: { type: 'application/json', schema: object(registration, ['redirect_uris']) },
    success: { status: 201, description: 'The client', schema: named('Client') },
    errors: [...always, 'invalid_redirect_uri', 'invalid_client_metadata', 'access_denied'],
  },
  revoke: {
    summary: 'Ends the grant of a token. A token that is not the client’s is no error',
    source: 'RFC 7009 section 2',
    request: {
      type: 'application/x-www-form-urlencoded',
      schema: object(
        { token: text('A refresh token or an access token.'), token_type_hint: text('It is not needed.'), ...client },
        ['token'],
      ),
    },
    success: { status: 200, description: 'The grant has ended, or there was none' },
    errors: [...always, 'invalid_client', 'invalid_grant'],
  },
  jwks: {
    summary: 'The keys that access tokens are signed with',
    source: 'RFC 7517 section 5',
    success: {
      status: 200,
      description: 'The key set',
      schema: object({ keys: { type: 'array', items: { type: 'object' } } }, ['keys']),
    },
    errors: ofDocuments,
  },
  metadata: {
    summary: 'What the authorization server of the company has',
    source: 'RFC 8414 section 3',
    success: { status: 200, description: 'The metadata', schema: named('Metadata') },
    errors: ofDocuments,
  },
  'protected-resource': {
    summary: 'Where the clients of an API sign in',
    source: 'RFC 9728 section 3',
    success: { status: 200, description: 'The metadata of the API', schema: named('ResourceMetadata') },
    errors: ofDocuments,
  },
}

const nothing = () => {}
const issuerPath = '/v1/{tenantKey}/oauth'

/** Every path of an issuer, with the endpoint that answers there and its methods. */
const paths: Record<string, { name: EndpointName; methods: readonly string[] }> = {
  ...Object.fromEntries(
    Object.entries(
      routesOf({
        metadata: nothing,
        jwks: nothing,
        token: nothing,
        authorize: nothing,
        register: nothing,
        revoke: nothing,
      }),
    ).map(([path, route]) => [issuerPath + path, route]),
  ),
  [metadataPath + issuerPath]: { name: 'metadata', methods: readMethods },
  [issuerPath + metadataPath]: { name: 'metadata', methods: readMethods },
  [`${protectedResourcePath}/v1/{tenantKey}/{api}`]: { name: 'protected-resource', methods: readMethods },
}

/** The OpenAPI 3.1 description of the endpoints of an issuer, as docs/openapi.json has it. */
export function openApi(): string {
  const { version } = JSON.parse(readFileSync(join(__dirname, '../../package.json'), 'utf8'))
  return `${JSON.stringify(description(version), null, 2)}\n`
}

function description(version: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'customer-sign-in: the endpoints of an issuer',
      version,
      description:
        'One host serves many companies. Each is a tenant with an issuer of its own: `{baseUrl}/v1/{tenantKey}/oauth`. `authorize` is there with the option `authenticate`, and `register` unless it is off.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      {
        url: '{baseUrl}',
        variables: { baseUrl: { default: 'https://assistant.example', description: 'The option `baseUrl`.' } },
      },
    ],
    security: [],
    paths: Object.fromEntries(Object.entries(paths).map(([path, route]) => [path, pathItem(path, route)])),
    components: {
      securitySchemes: {
        client_secret_basic: {
          type: 'http',
          scheme: 'basic',
          description: 'For clients with a secret, where the metadata names the method.',
        },
      },
      schemas: {
        Error: object(
          {
            error: { type: 'string', enum: Object.keys(answeredCodes) },
            error_description: text('What is wrong, for the developer of the client.'),
          },
          ['error'],
        ),
        TokenRequest: {
          oneOf: grantTypes.map((name) => {
            const { properties, required } = grantRequests[name] as { properties: Schema; required: string[] }
            return object({ grant_type: { const: name }, ...properties, ...client }, ['grant_type', ...required])
          }),
        },
        Tokens: object(
          {
            access_token: text('A JWT (RFC 9068).'),
            token_type: { const: 'Bearer' },
            expires_in: { type: 'integer', description: 'Seconds.' },
            refresh_token: text('Replaces the one before.'),
            refresh_token_expires_in: { type: 'integer', description: 'Seconds until it has to be used.' },
            scope,
          },
          ['access_token', 'token_type', 'expires_in', 'scope'],
        ),
        Client: object(
          {
            client_id: text('Carries the registration, in at most 1,024 characters.'),
            client_id_issued_at: { type: 'integer', description: 'Seconds since 1970.' },
            client_secret: text('For the methods that need one.'),
            client_secret_expires_at: { const: 0 },
            ...registration,
          },
          ['client_id', 'redirect_uris'],
        ),
        Metadata: object(
          {
            issuer: uri('The issuer of the company.'),
            authorization_endpoint: uri('`authorize`, or a page of the host.'),
            token_endpoint: uri('`token`.'),
            registration_endpoint: uri('`register`.'),
            revocation_endpoint: uri('`revoke`.'),
            jwks_uri: uri('`jwks`.'),
            scopes_supported: texts(
              'What customers can grant here, and `offline_access` where clients get refresh tokens.',
            ),
            grant_types_supported: { type: 'array', items: { enum: grantTypes } },
            token_endpoint_auth_methods_supported: { type: 'array', items: { enum: Object.keys(authentication) } },
          },
          ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'response_types_supported'],
        ),
        ResourceMetadata: object(
          {
            resource: uri('The API.'),
            authorization_servers: texts('The issuer of the company.'),
            scopes_supported: texts('What to ask for.'),
          },
          ['resource', 'authorization_servers'],
        ),
      },
    },
  }
}

function pathItem(path: string, { name, methods }: { name: EndpointName; methods: readonly string[] }): object {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => ({
    name: parameter,
    in: 'path',
    required: true,
    description: parameter === 'tenantKey' ? 'The company.' : 'The rest of the path of the API.',
    schema: { type: 'string' },
  }))
  // Whoever answers GET answers HEAD.
  const verbs = methods.filter((method) => method !== 'HEAD')
  const suffix = path.startsWith(issuerPath) && name === 'metadata' ? 'BelowIssuer' : ''
  return {
    parameters,
    ...Object.fromEntries(verbs.map((verb) => [verb.toLowerCase(), operation(name, verb, suffix)])),
  }
}

function operation(name: EndpointName, verb: string, suffix: string): object {
  const { summary, source, request, success, errors } = operations[name]
  const type = request?.type ?? (verb === 'POST' ? 'application/x-www-form-urlencoded' : undefined)
  const isOnPage = name === 'authorize'
  return {
    operationId: `${name}${verb === 'POST' && isOnPage ? 'ByForm' : ''}${suffix}`,
    summary,
    description: source,
    ...(request && type && { requestBody: { required: true, content: { [type]: { schema: request.schema } } } }),
    ...(request && !type && { parameters: queryOf(request.schema) }),
    ...(['token', 'revoke'].includes(name) && { security: [{}, { client_secret_basic: [] }] }),
    responses: {
      [success.status]: {
        description: success.description,
        ...(success.schema && { content: { 'application/json': { schema: success.schema } } }),
        ...(success.status === 303 && { headers: { Location: { schema: { type: 'string', format: 'uri' } } } }),
      },
      ...errorResponses(errors, isOnPage ? 'text/html' : 'application/json'),
    },
  }
}

function queryOf({ properties, required }: Schema): object[] {
  return Object.entries(properties as Record<string, Schema>).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: (required as string[]).includes(name),
    ...(description !== undefined && { description }),
    schema,
  }))
}

function errorResponses(codes: readonly AnsweredCode[], type: string): object {
  const statuses = [...new Set(codes.map((code) => answeredCodes[code].status))].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const those = codes.filter((code) => answeredCodes[code].status === status)
      const error = { allOf: [named('Error'), { properties: { error: { enum: those } } }] }
      const schema = type === 'text/html' ? { type: 'string' } : error
      const says = those.map((code) => `\`${code}\`: ${answeredCodes[code].meaning}`).join('\n\n')
      return [status, { description: says, content: { [type]: { schema } } }]
    }),
  )
}
