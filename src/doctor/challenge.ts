/** The attributes of a `Bearer` challenge, such as `resource_metadata`, `scope` and `error`. */
export type Challenge = Readonly<Record<string, string | undefined>>

/** Reads the Bearer challenge in a `WWW-Authenticate` header (RFC 9110 section 11.6.1). @returns Undefined if it has none. */
export function bearerChallenge(header: string): Challenge | undefined {
  const [, , rest] = /(^|,\s*)Bearer\b(.*)$/is.exec(header) ?? []
  if (rest === undefined) return undefined
  const attributes = rest.matchAll(/([\w-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/g)
  return Object.fromEntries(
    [...attributes].map(([, name = '', quoted, bare = '']) => [
      name.toLowerCase(),
      quoted?.replace(/\\(.)/g, '$1') ?? bare,
    ]),
  )
}
