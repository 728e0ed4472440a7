// An authority with userinfo, `;`, `%` or the like begins a path for some readers.
const plainOrigin = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?(?=[/?]|$)/i

/**
 * The path of a request target in origin form or absolute form (RFC 9112 section 3.2), if every router reads the same one: what a
 * host has mounted in front by a path, such as a rate limit, must see what this library serves.
 *
 * @returns Undefined for any other target, and for a path with white space, `\` or `#`.
 */
export function requestPath(target = ''): string | undefined {
  const [path = ''] = target.replace(plainOrigin, '').split('?', 1)
  return /^\/[^\s\\#]*$/.test(path) ? path : undefined
}
