import { respondWithDocument } from '../http/responses'
import type { EndpointContext } from './endpoint'

const maxAge = 300

/** `GET I/jwks`: the public keys that access tokens verify with (RFC 7517 section 5). */
export function jwks({ req, res, service }: EndpointContext): void {
  respondWithDocument(req, res, { keys: service.signingKeys.map(({ publicJwk }) => publicJwk) }, maxAge)
}
