/** What can be hashed: texts, and bytes. */
export type Part = string | Buffer

/**
 * Joins a purpose and parts into the text that is hashed, so that no two lists of parts give the same text. Each part stands behind its
 * length; bytes are written as base64url. The text begins with the version of this format.
 */
export function framed(purpose: string, parts: readonly Part[]): string {
  // Text, because filling a Buffer part by part takes longer than hashing it.
  let joined = `2:v1,${purpose.length}:${purpose},`
  for (const part of parts) {
    const text = typeof part === 'string' ? part : part.toString('base64url')
    joined += `${text.length}:${text},`
  }
  return joined
}
