import type { OutgoingHttpHeaders } from 'node:http'
import fc from 'fast-check'
import { clientId, redirectUri } from '../../support/sign-in'

/** A request as it is sent, valid or not. */
export interface AnyRequest {
  method: string
  path: string
  headers: OutgoingHttpHeaders
  body: Buffer
}

export const formType = 'application/x-www-form-urlencoded'
export const names = [
  'grant_type',
  'client_id',
  'code',
  'redirect_uri',
  'code_verifier',
  'refresh_token',
  'scope',
  'resource',
]

const mostly = <T>(right: T, any: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(right) }, { weight: 1, arbitrary: any })

const anyText = fc.string({ unit: 'binary', maxLength: 60 })
const headerText = fc.string({ unit: fc.constantFrom(...' \t"\\;,=/:azAZ09%+-_~\xe9\xff'), maxLength: 60 })
const credential = fc
  .tuple(fc.constantFrom('csic_', 'csir_', ''), fc.uint8Array({ minLength: 47, maxLength: 49 }))
  .map(([prefix, bytes]) => prefix + Buffer.from(bytes).toString('base64url'))
export const value = fc.oneof(
  fc.constantFrom('authorization_code', 'refresh_token', clientId, redirectUri, 'x'.repeat(43), 'profile', ''),
  credential,
  fc.webUrl(),
  anyText,
)

const parameters = fc.record(
  {
    grant_type: mostly('refresh_token', fc.oneof(fc.constant('authorization_code'), value)),
    client_id: mostly(clientId, value),
    code: fc.oneof(credential, value),
    redirect_uri: mostly(redirectUri, value),
    code_verifier: mostly('x'.repeat(43), value),
    refresh_token: fc.oneof(credential, value),
    scope: mostly('profile', value),
    resource: mostly('https://api.example', value),
  },
  { requiredKeys: ['grant_type', 'client_id'] },
)
const more = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names, '__proto__'), anyText), value), { maxLength: 3 })
const form = fc
  .tuple(parameters, mostly([], more))
  .map(([pairs, others]) => Buffer.from(new URLSearchParams([...Object.entries(pairs), ...others]).toString()))
export const body = fc.oneof(
  { weight: 12, arbitrary: form },
  fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: fc.constantFrom(...'&=%+[]0aF\0é'), maxLength: 200 }).map((characters) => Buffer.from(characters)),
  fc.nat({ max: 40_000 }).map((length) => Buffer.alloc(length, 'a=b&')),
)

const basic = fc.oneof(
  fc.constant(clientId).map((id) => `Basic ${Buffer.from(`${id}:`).toString('base64')}`),
  fc.string().map((credentials) => `Basic ${Buffer.from(credentials).toString('base64')}`),
)
const mediaType = fc.oneof(
  fc.constantFrom(`${formType}; charset=utf-8`, `${formType};charset="UTF-8"`, `${formType};charset=utf-16`),
  fc.constantFrom('application/json', 'text/plain', 'multipart/form-data; boundary=x'),
  headerText,
)
export const headers: fc.Arbitrary<OutgoingHttpHeaders> = fc
  .tuple(
    mostly(formType, mediaType),
    mostly(undefined, fc.oneof(basic, headerText)),
    mostly(undefined, fc.oneof(fc.constantFrom('gzip', 'deflate', 'br', 'identity', 'zstd'), headerText)),
    fc.dictionary(fc.constantFrom('origin', 'accept', 'x-forwarded-host', 'access-control-request-method'), headerText),
  )
  .map(([type, authorization, encoding, others]) => ({
    ...others,
    'content-type': type,
    ...(authorization !== undefined && { authorization }),
    ...(encoding !== undefined && { 'content-encoding': encoding }),
  }))

const anyPath = fc.oneof(
  fc.constantFrom('/v1/nobody/oauth/token', '/v1/acme/oauth/token?code=1', '/v1/%2F/oauth/token', '/v1/../oauth/token'),
  fc
    .string({ unit: fc.constantFrom(...'abc/%.~é'), maxLength: 80 })
    .map((key) => `/v1/${encodeURIComponent(key)}/oauth/token`),
)
export const anyRequest: fc.Arbitrary<AnyRequest> = fc.record({
  method: mostly('POST', fc.constantFrom('GET', 'PUT', 'OPTIONS', 'HEAD')),
  path: mostly('/v1/acme/oauth/token', anyPath),
  headers,
  body,
})
