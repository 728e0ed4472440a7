/** Joins parts so that no two lists of parts give the same bytes: each behind its length. */
export function framed(...parts: (string | Buffer)[]): Buffer {
  const frames = parts.flatMap((part) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'utf8') : part
    const length = Buffer.alloc(4)
    length.writeUInt32BE(bytes.length)
    return [length, bytes]
  })
  return Buffer.concat(frames)
}
