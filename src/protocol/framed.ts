/**
 * Joins parts so that no two lists of parts give the same text: each behind its length, bytes as base64url. As text, because to
 * fill a Buffer part by part takes longer than to digest it.
 */
export function framed(...parts: (string | Buffer)[]): string {
  let joined = ''
  for (const part of parts) {
    const text = typeof part === 'string' ? part : part.toString('base64url')
    joined += `${text.length}:${text},`
  }
  return joined
}
