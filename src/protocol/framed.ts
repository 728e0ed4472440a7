/** Joins parts so that no two lists of parts give the same bytes: each behind its length. */
export function framed(...parts: (string | Buffer)[]): Buffer {
  const lengths = parts.map((part) => Buffer.byteLength(part))
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 0))
  let at = 0
  for (const [index, part] of parts.entries()) {
    at = bytes.writeUInt32BE(lengths[index] ?? 0, at)
    at += typeof part === 'string' ? bytes.write(part, at) : part.copy(bytes, at)
  }
  return bytes
}
