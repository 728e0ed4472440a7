import { temporarilyUnavailable } from '../protocol/oauth-error'

/** A deletion has failed, and may still come. So nothing may be stored again under the id of its grant. */
export class DeletionInDoubt extends Error {
  constructor(cause: unknown) {
    super('A grant may still be deleted', { cause })
  }

  /** @throws {OAuthError} `temporarily_unavailable`, with such an error as its cause. */
  static throwFor(failed: unknown): never {
    throw temporarilyUnavailable(new DeletionInDoubt(failed))
  }
}
