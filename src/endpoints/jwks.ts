import { respondWithDocument } from '../http/responses'
import type { EndpointContext } from './endpoint'

/** `GET I/jwks`: the public keys that access tokens verify with (RFC 7517 section 5). */
export function jwks({ req, res, service }: EndpointContext): void {
  const keySet = service.publicDocuments.named('jwks', () => ({
    keys: service.signingKeys.map(({ publicJwk }) => publicJwk),
  }))
  respondWithDocument(req, res, keySet)
}
