import { type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../protocol/derived-key'
import { mac } from '../protocol/mac'

const lifetime = 10 * 60_000

/** What a consent page asks about. A token of the page is valid for nothing else. */
export interface ConsentSubject {
  tenantId: string
  subject: string
  /** The query of the authorization request, as it is in the page's own address. */
  query: string
  /** What the page shows that the query does not settle: the client's own metadata can change it. */
  shown: readonly string[]
}

/**
 * Tokens that prove that a submitted form comes from a page that this server showed to this customer, about this request, in the last ten
 * minutes. No other site can know one.
 */
export class ConsentTokens {
  readonly #keys: KeyObject[]

  constructor(secrets: readonly [Buffer, ...Buffer[]]) {
    this.#keys = secrets.map((secret) => derivedKey(secret, 'consent'))
  }

  issue(about: ConsentSubject): string {
    const [key] = this.#keys as [KeyObject]
    const body = `${Date.now() + lifetime}.${randomBytes(12).toString('base64url')}`
    return `${body}.${proof(key, body, about)}`
  }

  /** Whether a token comes from a page that this server showed about this, and has not expired. */
  verifies(token: string, about: ConsentSubject): boolean {
    const [, body = '', expiry, given = ''] = /^((\d{13})\.[\w-]{16})\.([\w-]{43})$/.exec(token) ?? []
    if (!(Number(expiry) > Date.now())) return false
    return this.#keys.some((key) => timingSafeEqual(Buffer.from(proof(key, body, about)), Buffer.from(given)))
  }
}

function proof(key: KeyObject, body: string, { tenantId, subject, query, shown }: ConsentSubject): string {
  return mac(key, 'consent', body, tenantId, subject, query, ...shown)
}
