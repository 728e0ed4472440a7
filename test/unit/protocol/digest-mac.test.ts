import { createSecretKey } from 'node:crypto'
import { digest, mac, macBytes } from '../../../src/protocol/digest'

const key = createSecretKey(Buffer.alloc(32, 3))
const parts = ['acme', Buffer.alloc(16, 2), 'köln']

// Another program has computed both values.
const known = {
  mac: 'oenIFM7OYO3tD3DXAtMlSG_QuiE8hcBVIcrcs8w8-zs',
  digest: 'HSlnI6x31KKLJm5ceS43sBBtxneDua4qKVOwIQm9R1E',
}

describe('a message authentication code', () => {
  it('is the HMAC-SHA256 of its purpose and parts', () => {
    expect(mac(key, 'test', ...parts)).toBe(known.mac)
  })

  it('can be cut to its first bytes', () => {
    const whole = Buffer.from(known.mac, 'base64url')
    expect(macBytes(key, 16, 'test', ...parts)).toEqual(whole.subarray(0, 16))
    expect(macBytes(key, 32, 'test', ...parts)).toEqual(whole)
  })

  it.each([
    ['another key', mac(createSecretKey(Buffer.alloc(32, 4)), 'test', ...parts)],
    ['another purpose', mac(key, 'test2', ...parts)],
    ['the purpose among the parts', mac(key, '', 'test', ...parts)],
    ['parts in another order', mac(key, 'test', ...parts.toReversed())],
  ])('is different for %s', (_, other) => {
    expect(other).not.toBe(known.mac)
  })
})

describe('a digest', () => {
  it('is the SHA-256 of its purpose and parts', () => {
    expect(digest('test', ...parts)).toBe(known.digest)
    expect(digest('test2', ...parts)).not.toBe(known.digest)
  })
})
