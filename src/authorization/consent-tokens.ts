import { randomBytes, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../protocol/derived-key'
import { mac } from '../protocol/mac'

const lifetime = 10 * 60_000

/** What a consent page is about; its answer counts for nothing else. */
export interface ConsentSubject {
  tenantId: string
  subject: string
  /** The authorization request as the page's own address has it. */
  query: string
  /** What the page says that the query may not: it can change with the client's own metadata. */
  shown: readonly string[]
}

/**
 * The tokens that prove an answer comes from a page that this server has shown to this customer, about this request, in the last ten
 * minutes: no other site can know one.
 */
export class ConsentTokens {
  readonly #keys: Buffer[]

  constructor(secrets: readonly [Buffer, ...Buffer[]]) {
    this.#keys = secrets.map((secret) => derivedKey(secret, 'consent'))
  }

  issue(about: ConsentSubject): string {
    const [key] = this.#keys as [Buffer]
    const body = `${Date.now() + lifetime}.${randomBytes(12).toString('base64url')}`
    return `${body}.${proof(key, body, about)}`
  }

  /** Whether a token is from a page that this server has shown about this. */
  verifies(token: string, about: ConsentSubject): boolean {
    const [, body = '', expiry, given = ''] = /^((\d{13})\.[\w-]{16})\.([\w-]{43})$/.exec(token) ?? []
    if (!(Number(expiry) > Date.now())) return false
    return this.#keys.some((key) => timingSafeEqual(Buffer.from(proof(key, body, about)), Buffer.from(given)))
  }
}

function proof(key: Buffer, body: string, { tenantId, subject, query, shown }: ConsentSubject): string {
  return mac(key, 'consent', body, tenantId, subject, query, ...shown)
}
