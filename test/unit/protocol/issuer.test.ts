import { addressOf, endpointsOf, issuerOf, isTenantKey, tenantKeyOf } from '../../../src/protocol/resource'

const baseUrl = 'https://assistants.example'

describe('a tenant key', () => {
  it.each(['a', 'acme', 'Acme-1.2_3~4', '...', 'a.', 'x'.repeat(64)])('can be %j', (text) => {
    expect(isTenantKey(text)).toBe(true)
  })

  it.each(['', '.', '..', 'a b', 'a/b', ' acme', 'acme ', 'acme\n', '/acme', 'acmé', '%61cme', 'x'.repeat(65)])(
    'cannot be %j',
    (text) => {
      expect(isTenantKey(text)).toBe(false)
    },
  )
})

describe('an issuer', () => {
  it('names its tenant', () => {
    const address = { baseUrl, keyInPath: 'acme' }
    expect(issuerOf(address)).toBe('https://assistants.example/v1/acme/oauth')
    expect(endpointsOf(address)).toBe(issuerOf(address))
    expect(tenantKeyOf(issuerOf(address), baseUrl)).toBe('acme')
    expect(addressOf(issuerOf(address), 'acme', baseUrl)).toEqual(address)
  })

  it('is the tenant’s own domain, if it has one', () => {
    const address = { baseUrl: 'https://assistant.acme.example', keyInPath: undefined }
    expect(issuerOf(address)).toBe('https://assistant.acme.example')
    expect(endpointsOf(address)).toBe('https://assistant.acme.example/oauth')
    expect(addressOf(issuerOf(address), 'acme', baseUrl)).toEqual(address)
  })

  it.each([
    '',
    'acme',
    'https://other.example/v1/acme/oauth',
    'https://assistants.example/v1/acme/oauth/',
    'https://assistants.example/v2/acme/oauth',
    'https://assistants.example/v1/../oauth',
    'https://assistants.example/v1//oauth',
    'https://assistants.example/v1/acme/oauth?a',
  ])('of another server names no tenant: %j', (text) => {
    expect(tenantKeyOf(text, baseUrl)).toBeUndefined()
  })
})
