import { credentialHash, formatCredential, grantIdOf } from '../../src/grants/credential'
import { CredentialChain } from '../../src/grants/credential-chain'

// Computed by another program.
const known = {
  grantId: 'AuPTikCYRH-rssaPYA6P_w',
  code: '0QWUfanJqFURW0lQYSw6WbfEgETxQmMLSaEXE4Mt5uc',
  refreshToken: 'TJEUou92ReoKau-ts9ju9W6gPEHbWUqI_5MkBT4Ru78',
  nextSecret: 'zfasuT0DzEI31jsSaVugVg',
  nextHash: 'sySBIqO8OYXh254FSkgLQSFhTeWVA3npomWaHZoZ_Lg',
  nextToken: 'csir_AQEBAQEBAQEBAQEBAQEBAc32rLk9A8xCN9Y7EmlboFYRLhfS7FHzf_gTnDpn56vR',
}

const [handle, secret] = [Buffer.alloc(16, 1), Buffer.alloc(16, 2)]
const clientId = 'https://assistant.example/client.json'
const binding = {
  client_id: clientId,
  redirect_uri: 'https://assistant.example/callback',
  code_verifier: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
}

describe('what stored grants and issued tokens rest on', () => {
  it('is as it always was: anything else would sign every customer out', () => {
    expect(grantIdOf(handle)).toBe(known.grantId)
    expect(credentialHash('code', secret, binding)).toBe(known.code)
    expect(credentialHash('refresh_token', secret, binding)).toBe(known.refreshToken)

    const chain = new CredentialChain([Buffer.alloc(32, 3)])
    const next = chain.successor(known.grantId, known.code, clientId)
    expect(next.secret.toString('base64url')).toBe(known.nextSecret)
    expect(next.hash).toBe(known.nextHash)

    const kind = 'refresh_token'
    const tag = chain.tag('acme', known.grantId, { kind, secret: next.secret }, { client_id: clientId })
    expect(formatCredential({ kind, handle, secret: next.secret, tag })).toBe(known.nextToken)
  })
})
