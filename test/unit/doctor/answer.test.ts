import { bearerChallenge } from '../../../src/doctor/answer'

describe('the Bearer challenge in WWW-Authenticate', () => {
  it.each<[string, Record<string, string> | undefined]>([
    ['Bearer', {}],
    [
      'bearer scope="a b", resource_metadata="https://a.example/x"',
      { scope: 'a b', resource_metadata: 'https://a.example/x' },
    ],
    ['Bearer error=invalid_token,  Scope = "a"', { error: 'invalid_token', scope: 'a' }],
    [
      'Bearer error_description="a \\"quoted\\" word, and a comma"',
      { error_description: 'a "quoted" word, and a comma' },
    ],
    ['Basic realm="x", Bearer error="invalid_token"', { error: 'invalid_token' }],
    ['Basic realm="Bearer"', undefined],
    ['DPoP algs="ES256"', { algs: 'ES256' }],
    ['', undefined],
  ])('is read from %j', (header, attributes) => {
    expect(bearerChallenge(header)).toEqual(attributes)
  })
})
