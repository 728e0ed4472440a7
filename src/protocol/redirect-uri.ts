const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(?=[/?]|$)/

/**
 * Whether the redirect URI of a request is a registered one: the same text, save the port of a loopback address, which an
 * app on the customer's own machine picks anew each time (RFC 8252 section 7.3, RFC 9700 section 2.1).
 */
export function redirectUriMatches(registered: string, presented: string): boolean {
  if (registered === presented) return true
  return loopback.test(registered) && loopback.test(presented) && withoutPort(registered) === withoutPort(presented)
}

function withoutPort(redirectUri: string): string {
  return redirectUri.replace(loopback, 'http://$1')
}
