import { respondWithDocument } from '../http/responses'
import type { Context } from './context'
import type { Rooms } from './endpoint'

/** `GET I/jwks`: the public keys that access tokens verify with (RFC 7517 section 5). */
export function jwks({ req, res }: Context, { documents, tokens }: Pick<Rooms, 'documents' | 'tokens'>): void {
  const keySet = documents.get(tokens.keySetName, () => ({ keys: tokens.publicKeys }))
  respondWithDocument(req, res, keySet)
}
