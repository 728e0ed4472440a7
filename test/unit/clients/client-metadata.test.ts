import { readClientMetadata } from '../../../src/clients/client-metadata'

describe('the metadata of a client', () => {
  const redirect_uris = ['https://assistant.example/callback']
  const read = (more: object, own?: readonly string[]) => readClientMetadata({ redirect_uris, ...more }, [], own)

  it('has a name in its first 200 characters, or none', () => {
    expect(read({ client_name: `${'\u200b'.repeat(199)}ABC` })).toMatchObject({ clientName: 'A' })
    expect(read({ client_name: `${'\u200b'.repeat(200)}ABC` })).not.toHaveProperty('clientName')
  })

  it('says whether the client always proves its key, and which scopes it names', () => {
    expect(read({ dpop_bound_access_tokens: true, scope: 'a b' })).toMatchObject({
      dpopBoundAccessTokens: true,
      scopes: ['a', 'b'],
    })
    for (const member of ['dpopBoundAccessTokens', 'scopes']) expect(read({})).not.toHaveProperty(member)
  })

  it('needs a redirect URI where the client registers, and none in a document for assertions alone', () => {
    const forAssertions = { grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'] }
    expect(read(forAssertions)).toEqual({ redirectUris: [] })
    expect(() => read(forAssertions, [])).toThrow('grant_types must include authorization_code')
  })
})
