// Some routers read an authority with userinfo, `;`, `%` and the like as the beginning of a path.
const plainOrigin = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?/i

/**
 * The path of a request target in origin form or absolute form (RFC 9112 section 3.2), if every router reads the same path from it.
 * Middleware that a host has mounted by a path, such as a rate limiter, must see every request that this library serves there.
 *
 * @returns Undefined for any other target, and for a path with white space, `\` or `#`.
 */
export function requestPath(target = ''): string | undefined {
  const [path = ''] = target.replace(plainOrigin, '').split('?', 1)
  return /^\/[^\s\\#]*$/.test(path) ? path : undefined
}
