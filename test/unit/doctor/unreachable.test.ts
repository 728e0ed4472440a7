import { unreachable } from '../../../src/doctor/unreachable'

const url = new URL('https://assistant.example/v1/acme/mcp')

describe('the words for a connection that fails', () => {
  // What a test cannot bring about on any machine.
  it.each([
    ['ETIMEDOUT', 'no-route'],
    ['EHOSTUNREACH', 'no-route'],
    ['ENETUNREACH', 'no-route'],
    ['CERT_NOT_YET_VALID', 'tls-not-yet-valid'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls-unknown-authority'],
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns-server'],
    ['HPE_HEADER_OVERFLOW', 'too-large'],
    ['ECONNRESET', 'closed'],
    ['ERR_SOMETHING_NEW', 'closed'],
  ])('are those for %s', (code, finding) => {
    expect(unreachable(Object.assign(new Error('It failed'), { code }), url).seen.code).toBe(finding)
  })

  it('name the port that nothing listens at', () => {
    const refused = Object.assign(new Error('It failed'), { code: 'ECONNREFUSED' })
    const portOf = (address: string) => unreachable(refused, new URL(address)).seen.values.port
    expect(['https://a.example', 'http://a.example', 'http://a.example:8080'].map(portOf)).toEqual([
      '443',
      '80',
      '8080',
    ])
  })
})
