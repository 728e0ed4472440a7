import { authenticationOfDocument, authenticationOfRegistration } from '../../../src/client-authentication/methods'

type Rules = Parameters<typeof authenticationOfDocument>[1]

const rules = { methods: ['client_secret_basic', 'client_secret_post', 'none'] } as unknown as Rules

describe('how a client with a metadata document authenticates', () => {
  it('is never by a secret, which everyone could read', () => {
    for (const own of ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'])
      expect(() => authenticationOfDocument({ token_endpoint_auth_method: own }, rules)).toThrow(
        'must not have a client_secret',
      )
    expect(() => authenticationOfDocument({ client_secret: 'a secret' }, rules)).toThrow(
      'must not have a client_secret',
    )
  })

  it('is not by a method with a secret that it offers beside another one', () => {
    const offers = {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'none'],
    }
    expect(authenticationOfDocument(offers, rules).method.name).toBe('none')
  })
})

describe('how a client that registers authenticates', () => {
  it.each([
    ['client_secret_post', 'client_secret_post'],
    ['client_secret_jwt', 'none'],
    [undefined, 'none'],
  ])('if it asks for %s', (asked, given) => {
    expect(authenticationOfRegistration({ token_endpoint_auth_method: asked }, rules).method.name).toBe(given)
  })
})
