import { type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'
import { derivedKey, digest, mac, macBytes } from '../protocol/digest'

const lifetime = 10 * 60_000

/** For how long a page that has given its code is remembered, in milliseconds: twice as long as its token is valid, because the store has another clock. */
export const pageNotedFor = 2 * lifetime

/** What a consent page asks about. A token of the page is valid for nothing else. */
export interface ConsentSubject {
  tenantId: string
  subject: string
  /** The query of the authorization request, as it is in the page's own address. */
  query: string
  /** What the page shows, or a page of the host's own is told, that the query does not settle: the client's own metadata can change it. */
  shown: readonly string[]
}

/** A consent page whose form a customer has submitted. It gives one code, however often it is submitted. */
export interface SubmittedPage {
  /** Names the page in the store once it has given its code. 43 characters. */
  id: string
  /** The 32 bytes of which its code is made: the same for every process, and known only with the key. */
  seed: Buffer
}

/**
 * Tokens that prove that a submitted form comes from a page that this server showed to this customer, about this request, in the last ten
 * minutes. No other site can know one.
 */
export class ConsentTokens {
  #keys!: readonly KeyObject[]
  readonly #now: () => number
  readonly #purpose: string

  /**
   * @param now The clock, in milliseconds since 1970.
   * @param purpose For which pages. A token for one purpose is none for another.
   */
  constructor(secrets: readonly [Buffer, ...Buffer[]], now: () => number, purpose = 'consent') {
    this.#purpose = purpose
    this.#now = now
    this.use(secrets)
  }

  /** Derives and recognises under these secrets from now on. */
  use(secrets: readonly [Buffer, ...Buffer[]]): void {
    this.#keys = secrets.map((secret) => derivedKey(secret, this.#purpose))
  }

  issue(about: ConsentSubject): string {
    const [key] = this.#keys as [KeyObject]
    const body = `${this.#now() + lifetime}.${randomBytes(12).toString('base64url')}`
    return `${body}.${proof(key, body, about)}`
  }

  /** The page that a token comes from. Undefined if this server has shown no such page about this, or the token has expired. */
  pageOf(token: string, about: ConsentSubject): SubmittedPage | undefined {
    const [, body = '', expiry, given = ''] = /^((\d{13})\.[\w-]{16})\.([\w-]{43})$/.exec(token) ?? []
    if (!(Number(expiry) > this.#now())) return undefined
    const isOf = (key: KeyObject) => timingSafeEqual(Buffer.from(proof(key, body, about)), Buffer.from(given))
    const key = this.#keys.find(isOf)
    return key && { id: digest('consent page', token), seed: macBytes(key, 32, 'code of a page', token) }
  }
}

function proof(key: KeyObject, body: string, { tenantId, subject, query, shown }: ConsentSubject): string {
  return mac(key, 'consent', body, tenantId, subject, query, ...shown)
}
