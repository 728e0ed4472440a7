import {
  assertedGrantTypes,
  credentialKinds,
  defaultGrantTypes,
  grantTypes,
  isGrantType,
  redirectingGrantTypes,
} from '../../../src/protocol/grant-types'
import { textOf } from '../../docs/pages'

const kinds = Object.entries(credentialKinds)

describe('the kinds of credential', () => {
  it('each have their own prefix, letter and label', () => {
    for (const member of ['prefix', 'letter', 'label'] as const) {
      expect(new Set(kinds.map(([, kind]) => kind[member])).size).toBe(kinds.length)
    }
  })

  it('each have a letter for their successor that stands for no other kind', () => {
    for (const [name, { successorLetter }] of kinds) {
      const owner = kinds.find(([, { letter }]) => letter === successorLetter)?.[0]
      expect(owner === undefined || (owner === name && name === 'refresh_token')).toBe(true)
    }
  })

  it.each(kinds)('are in the docs: %s', (_, { prefix, letter, successorLetter }) => {
    expect(textOf('docs/credential-chain.md')).toContain(`\`${prefix}\` for a `)
    expect(textOf('docs/operations-redis.md')).toContain(`\`${letter}\` for a `)
    expect(textOf('docs/operations-redis.md')).toContain(`\`${successorLetter}\` for `)
  })
})

describe('a grant type', () => {
  it('is one of these, of which all clients may use the first two', () => {
    expect(grantTypes).toEqual([
      'authorization_code',
      'refresh_token',
      'client_credentials',
      'urn:ietf:params:oauth:grant-type:jwt-bearer',
    ])
    expect(defaultGrantTypes).toEqual(['authorization_code', 'refresh_token'])
    expect(redirectingGrantTypes).toEqual(['authorization_code'])
    expect(assertedGrantTypes).toEqual(['urn:ietf:params:oauth:grant-type:jwt-bearer'])
    expect(grantTypes.every(isGrantType)).toBe(true)
  })

  it.each(['code', 'password', '', 'constructor', undefined, 7])('is not %p', (other) => {
    expect(isGrantType(other)).toBe(false)
  })
})
