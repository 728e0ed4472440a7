import { clientId, type FormFields, redirectUri } from './sign-in'

const challenge = 'a'.repeat(43)
const other = 'https://evil.example/callback'

/** Authorization requests with a fault that is found before the redirect URI is known to be the client's. */
export const untrusted: [what: string, parameters: FormFields][] = [
  ['no client_id', { client_id: undefined }],
  ['an empty client_id', { client_id: '' }],
  ['client_id twice', { client_id: [clientId, clientId] }],
  ['an unknown client_id', { client_id: 'nobody' }],
  ['a client_id that no client can have', { client_id: 'ä\n' }],
  ['a client_id like a property of every object', { client_id: '__proto__' }],
  ['the client_id of another tenant', { client_id: 'other-app' }],
  ['no redirect_uri', { redirect_uri: undefined }],
  ['an empty redirect_uri', { redirect_uri: '' }],
  ['redirect_uri twice', { redirect_uri: [redirectUri, redirectUri] }],
  ['redirect_uri and another', { redirect_uri: [redirectUri, other] }],
  ['another redirect_uri first', { redirect_uri: [other, redirectUri] }],
  ['another redirect_uri', { redirect_uri: other }],
]

/** Authorization requests with a fault that the client must be told. */
export const trusted: [what: string, parameters: FormFields, error: string, named: RegExp][] = [
  ['no response_type', { response_type: undefined }, 'invalid_request', /response_type/],
  ['response_type twice', { response_type: ['code', 'code'] }, 'invalid_request', /response_type/],
  ['response_type token', { response_type: 'token' }, 'unsupported_response_type', /response_type/],
  ['response_type code token', { response_type: 'code token' }, 'unsupported_response_type', /response_type/],
  ['response_type CODE', { response_type: 'CODE' }, 'unsupported_response_type', /response_type/],
  ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request', /response_mode/],
  ['response_mode form_post', { response_mode: 'form_post' }, 'invalid_request', /response_mode/],
  ['no code_challenge', { code_challenge: undefined }, 'invalid_request', /code_challenge/],
  ['an empty code_challenge', { code_challenge: '' }, 'invalid_request', /code_challenge/],
  ['a short code_challenge', { code_challenge: challenge.slice(1) }, 'invalid_request', /code_challenge/],
  ['a long code_challenge', { code_challenge: `${challenge}a` }, 'invalid_request', /code_challenge/],
  ['a padded code_challenge', { code_challenge: `${challenge}=` }, 'invalid_request', /code_challenge/],
  ['a code_challenge with a line feed', { code_challenge: `${challenge}\n` }, 'invalid_request', /code_challenge/],
  ['code_challenge twice', { code_challenge: [challenge, challenge] }, 'invalid_request', /code_challenge/],
  ['no code_challenge_method', { code_challenge_method: undefined }, 'invalid_request', /code_challenge_method/],
  ['code_challenge_method plain', { code_challenge_method: 'plain' }, 'invalid_request', /code_challenge_method/],
  ['code_challenge_method s256', { code_challenge_method: 's256' }, 'invalid_request', /code_challenge_method/],
  ['two methods', { code_challenge_method: ['plain', 'S256'] }, 'invalid_request', /code_challenge_method/],
  ['scope twice', { scope: ['profile', 'profile'] }, 'invalid_request', /scope/],
  ['an unknown scope', { scope: 'admin' }, 'invalid_scope', /scope/],
  ['an unknown resource', { resource: 'https://api.globex.example/mcp' }, 'invalid_target', /resource/],
  ['prompt none with another', { prompt: 'none login' }, 'invalid_request', /prompt/],
  ['prompt twice', { prompt: ['login', 'none'] }, 'invalid_request', /prompt/],
  ['login_hint twice', { login_hint: ['a', 'b'] }, 'invalid_request', /login_hint/],
  ['an unknown parameter twice', { flow: ['a', 'b'] }, 'invalid_request', /flow/],
]
