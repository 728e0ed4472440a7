import { KnownDocuments } from '../../../src/clients/known-documents'
import { oauthError } from '../../../src/protocol/oauth-error'
import { redirectUri } from '../../support/sign-in'

const url = 'https://assistant.example/oauth/client.json'
const assistant = { document: { client_id: url, client_name: 'Assistant', redirect_uris: [redirectUri] } }

describe('the documents that are known without being fetched', () => {
  it('are those of which this server could serve the client', () => {
    const metadata = { redirectUris: [redirectUri] }
    expect(new KnownDocuments([assistant], () => metadata).has(url)).toBe(true)

    const isOff = new KnownDocuments([assistant], () => {
      throw oauthError(
        'invalid_client_metadata',
        'token_endpoint_auth_method must be none: see the option clientAuthentication',
        { reason: 'method_off' },
      )
    })
    expect(isOff.has(url)).toBe(false)
  })

  it('have a copy until their publisher withdraws them, and again when it publishes them', () => {
    const metadata = { redirectUris: [redirectUri] }
    const known = new KnownDocuments([assistant], () => metadata)
    expect(known.copy(url)).toBe(metadata)
    known.fetched(url, { isGood: false })
    expect(known.copy(url)).toBeUndefined()
    known.fetched(url, { isGood: true })
    expect(known.copy(url)).toBe(metadata)
    expect(known.copy('https://other.example/client.json')).toBeUndefined()
  })
})
