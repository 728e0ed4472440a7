import type { Words } from './words'

/** What clients that run in a browser cannot read (CORS). */
export const browserFindings = {
  'preflight-refused': {
    level: 'wrong',
    says: 'The CORS preflight OPTIONS {url} is answered with {status}. Clients in a browser cannot call it',
    remedy:
      'Pass OPTIONS on to the app, before any login or guard, and answer none in the proxy: in nginx, remove `if ($request_method = OPTIONS)` and `limit_except`',
  },
  'preflight-no-cors': {
    level: 'wrong',
    says: 'The CORS preflight OPTIONS {url} is answered without {header}. Clients in a browser cannot call it',
    remedy:
      'Pass OPTIONS on to the app, and answer none in the proxy: in nginx, remove `if ($request_method = OPTIONS)` and `limit_except`',
  },
  'preflight-headers': {
    level: 'wrong',
    says: 'The CORS preflight OPTIONS {url} does not allow the header {header}',
    remedy:
      'Allow `Authorization`, `Content-Type` and `MCP-Protocol-Version`. The endpoints of this library do: look for cors middleware or a proxy that answers in front of them',
  },
  'no-cors': {
    level: 'wrong',
    says: '{request} is answered without `Access-Control-Allow-Origin`. Clients in a browser cannot read it',
    remedy:
      'Pass the header on: in nginx, remove `proxy_hide_header Access-Control-Allow-Origin`. The endpoints of this library send it',
  },
  'cors-twice': {
    level: 'wrong',
    says: '{request} has `Access-Control-Allow-Origin` twice ({value}). Browsers refuse that',
    remedy: 'Remove `add_header Access-Control-Allow-Origin` from the proxy: the app sends the header itself',
  },
  'cors-other-origin': {
    level: 'wrong',
    says: '{request} allows only {value} by CORS. Clients in a browser are on other origins',
    remedy: 'Mount cors middleware behind the sign-in, or allow every origin (*) for its endpoints',
  },
  'challenge-not-exposed': {
    level: 'wrong',
    says: '{request} can be read by clients in a browser, but not its `WWW-Authenticate` header, so they do not find the sign-in',
    remedy:
      "Expose it: `cors({ exposedHeaders: ['WWW-Authenticate'] })`, or in nginx, `add_header Access-Control-Expose-Headers WWW-Authenticate always;`",
  },
} as const satisfies Record<string, Words>
