import { PublicDocuments, respondWithDocument } from '../http/responses'
import type { AccessTokens } from '../tokens/access-tokens'
import type { Endpoint } from './endpoint'

/** `GET I/jwks`: the public keys that access tokens verify with (RFC 7517 section 5). */
export function jwks(tokens: AccessTokens): Endpoint {
  const documents = new PublicDocuments()
  return ({ req, res }) => {
    const keys = tokens.publicKeys
    const keySet = documents.get(keys, () => ({ keys }))
    respondWithDocument(req, res, keySet)
  }
}
