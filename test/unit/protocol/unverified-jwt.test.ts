import { readJwt } from '../../../src/protocol/unverified-jwt'

const part = (json: string) => Buffer.from(json).toString('base64url')

describe('a JWT that is not verified yet', () => {
  it('is read', () => {
    const jwt = `${part('{"alg":"ES256"}')}.${part('{"sub":"ada"}')}.signature`
    expect(readJwt(jwt)).toEqual({ header: { alg: 'ES256' }, claims: { sub: 'ada' } })
  })

  it('has no claim that gives another prototype to a copy', () => {
    const jwt = `${part('{}')}.${part('{"__proto__":{"admin":true},"address":{"__proto__":{"admin":true}}}')}.signature`
    const claims = Object.assign({}, readJwt(jwt)?.claims) as { admin?: boolean; address?: object }
    expect(claims.admin).toBeUndefined()
    expect(Object.assign({}, claims.address)).toEqual({})
  })

  it.each(['', 'a.b', 'a.b.c', `${part('[]')}.${part('{}')}.c`, `${part('{}')}.${part('null')}.c`])(
    'is not %j',
    (text) => {
      expect(readJwt(text)).toBeUndefined()
    },
  )

  it('is not one that is nested too deep to be read', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    expect(readJwt(`${part('{}')}.${part(`{"iss":${deep}}`)}.c`)).toBeUndefined()
  })
})
