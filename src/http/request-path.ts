/** The path of a request target; an absolute one is as good as its path (RFC 9112 section 3.2.2). */
export function requestPath(target = ''): string {
  return target.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] ?? ''
}
