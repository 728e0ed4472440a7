/** Joins parts so that no two lists of parts give the same bytes: each behind its length. */
export function framed(...parts: (string | Buffer)[]): Buffer {
  let length = 0
  for (const part of parts) length += 4 + Buffer.byteLength(part)
  const bytes = Buffer.allocUnsafe(length)
  let at = 0
  for (const part of parts) {
    const begin = at + 4
    const end = begin + (typeof part === 'string' ? bytes.write(part, begin) : part.copy(bytes, begin))
    bytes.writeUInt32BE(end - begin, at)
    at = end
  }
  return bytes
}
