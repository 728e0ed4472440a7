import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../protocol/derived-key'
import { framed } from '../protocol/framed'

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
    return `${body}.${proof(key, body, about).toString('base64url')}`
  }

  /** Whether a token is from a page that this server has shown about this. */
  verifies(token: string, about: ConsentSubject): boolean {
    const [, body = '', expiry, given = ''] = /^((\d{13})\.[\w-]{16})\.([\w-]{43})$/.exec(token) ?? []
    if (!(Number(expiry) > Date.now())) return false
    return this.#keys.some((key) => timingSafeEqual(proof(key, body, about), Buffer.from(given, 'base64url')))
  }
}

function proof(key: Buffer, body: string, { tenantId, subject, query, shown }: ConsentSubject): Buffer {
  return createHmac('sha256', key)
    .update(framed('v1', 'consent', body, tenantId, subject, query, ...shown))
    .digest()
}
