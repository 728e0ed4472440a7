import type { Words } from './words'

/** What goes wrong with --login, when somebody has signed in. */
export const signInFindings = {
  'sign-in-abandoned': {
    level: 'wrong',
    says: 'The browser did not come back within {minutes} minutes',
    remedy:
      "Open the printed address in a browser on this machine, and sign in. If the login page comes again and again, the cookie of the session does not arrive: behind a proxy, a `Secure` one needs `app.set('trust proxy', 1)` in Express. If a page shows an error, look at the denied events of `onEvent`",
  },
  'sign-in-refused': {
    level: 'wrong',
    says: 'The browser came back with the error {error}. {description}',
    remedy: 'If you pressed Deny, this is right. If not, look at the denied and error events of `onEvent`',
  },
  'no-code': {
    level: 'wrong',
    says: 'The browser came back without a code',
    remedy: 'Look at what redirects the browser: the query must arrive unchanged',
  },
  'state-differs': {
    level: 'wrong',
    says: 'The browser came back with another `state` than it was sent with',
    remedy: 'Return `state` unchanged. On an authorize page of your own, use `redirectTo` of `issueAuthorizationCode`',
  },
  'iss-differs': {
    level: 'wrong',
    says: 'The browser came back with the `iss` {value}, not {expected}. Assistants refuse it (RFC 9207)',
    remedy:
      'Set the same `baseUrl` in all processes. A company with `formerBaseUrls` needs `redirectTo` of `issueAuthorizationCode` unchanged',
  },
  'code-refused': {
    level: 'wrong',
    says: 'The code is refused: {status} {error}. {description}',
    remedy:
      'Give all processes the same store, `signingKeys` and `credentialSecrets`, and look at the denied events of `onEvent`',
  },
  'token-response': {
    level: 'wrong',
    says: 'The token response has no valid {member} (RFC 6749 section 5.1)',
    remedy: 'Look at what changes the answer on the way: that of this library always has it',
  },
  'no-refresh-token': {
    level: 'warning',
    says: 'The token response has no `refresh_token`, so the customer signs in again whenever the access token expires',
    remedy: "If the client's record has `grantTypes`, add `refresh_token`",
  },
  'token-rejected': {
    level: 'wrong',
    says: '{request} refuses the access token that was just issued: {status} {error}. {description}',
    remedy:
      'Guard the API with the same tenant, `baseUrl` and `signingKeys` as the sign-in. Check the clocks of the servers',
  },
  'scope-insufficient': {
    level: 'wrong',
    says: '{request} refuses the access token, because it lacks the scope {scope}',
    remedy:
      "Put these scopes into `scopes` of `protectedResource`, so that the 401 asks for them, and into the company's scopes",
  },
  'body-read-before': {
    level: 'wrong',
    says: '{request} with a valid access token is answered with 400: the MCP server could not read a message that is valid JSON',
    remedy:
      'A body parser in front, such as `app.use(express.json())`, has read the body: give it to the transport, `transport.handleRequest(req, res, req.body)`',
  },
  'call-fails': {
    level: 'wrong',
    says: '{request} with a valid access token is answered with {status}',
    remedy: 'Look into the log of the API',
  },
  'refresh-refused': {
    level: 'wrong',
    says: 'The refresh token is refused: {status} {error}. {description}',
    remedy:
      'Give all processes the same store, `signingKeys` and `credentialSecrets`, and look at the denied and replayed events of `onEvent`',
  },
  'revocation-without-effect': {
    level: 'wrong',
    says: 'After the revocation, the refresh token still works',
    remedy: 'Check that `revocation_endpoint` leads to the same app and store as `token_endpoint`',
  },
} as const satisfies Record<string, Words>
