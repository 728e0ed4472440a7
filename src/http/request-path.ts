/** The path of a request target; an absolute one is as good as its path (RFC 9112 section 3.2.2). */
export function requestPath(target = ''): string {
  const path = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const query = path.indexOf('?')
  return query === -1 ? path : path.slice(0, query)
}
