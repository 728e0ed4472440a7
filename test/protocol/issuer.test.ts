import { issuerOf, isTenantKey, tenantKeyOf } from '../../src/protocol/issuer'

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
    expect(issuerOf(baseUrl, 'acme')).toBe('https://assistants.example/v1/acme/oauth')
    expect(tenantKeyOf(issuerOf(baseUrl, 'acme'), baseUrl)).toBe('acme')
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
