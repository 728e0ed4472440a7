import { loadSigningKeys } from '../../../src/tokens/signing-keys'
import { TokenSignatures } from '../../../src/tokens/token-signatures'
import { signingKey } from '../../support/sign-in'

describe('the payload of an access token', () => {
  it.each([undefined, null, 5, {}, '', 'a.b.c'])('is undefined for %p, which none of the keys has signed', (token) => {
    const signatures = new TokenSignatures(loadSigningKeys([signingKey], 1000))
    expect(signatures.payloadOf(token as string)).toBeUndefined()
  })
})
