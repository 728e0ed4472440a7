import { ConfigurationError } from '../configuration/configuration-error'
import type { ClientMetadata, KnownAssistant } from '../contract/tenant-store'
import { OAuthError } from '../protocol/oauth-error'

interface Known {
  metadata: ClientMetadata
  /** Until when it is used without another attempt to fetch the document. */
  restsUntil: number
  /** Whether the publisher has said that the document is gone, or has published a wrong one. */
  isWithdrawn: boolean
}

/** The metadata documents that a host knows without fetching them: used only while the document itself cannot be fetched. */
export class KnownDocuments {
  readonly #known = new Map<string, Known>()

  /**
   * @param parse Reads a document, or throws the `OAuthError` that says what is wrong with it.
   * @throws {ConfigurationError} for a document that a client could not have.
   */
  constructor(assistants: readonly KnownAssistant[], parse: (document: Record<string, unknown>) => ClientMetadata) {
    for (const [index, { document }] of assistants.entries()) {
      const metadata = parsed(document, `knownAssistants[${index}].document`, parse)
      if (metadata) this.#known.set(document.client_id, { metadata, restsUntil: 0, isWithdrawn: false })
    }
  }

  /** Of how many documents a copy is used because they cannot be fetched. */
  get inUse(): number {
    return [...this.#known.values()].filter(({ restsUntil }) => restsUntil > 0).length
  }

  has(url: string): boolean {
    return this.#known.has(url)
  }

  /** The copy of a document, unless its publisher has withdrawn it. */
  copy(url: string): ClientMetadata | undefined {
    const known = this.#known.get(url)
    return known?.isWithdrawn ? undefined : known?.metadata
  }

  /** The copy of a document, while it is too early to try again to fetch the document. */
  resting(url: string): ClientMetadata | undefined {
    const known = this.#known.get(url)
    return known && performance.now() < known.restsUntil ? known.metadata : undefined
  }

  /**
   * The copy of a document that cannot be fetched now.
   *
   * @param pause How long to use it before the document is fetched again. Milliseconds.
   */
  instead(url: string, pause: number): ClientMetadata | undefined {
    const known = this.#known.get(url)
    if (!known || known.isWithdrawn) return undefined
    known.restsUntil = performance.now() + pause
    return known.metadata
  }

  /** Notes that the document has been fetched: its publisher's word counts from now on. */
  fetched(url: string, { isGood }: { isGood: boolean }): void {
    const known = this.#known.get(url)
    if (known) Object.assign(known, { isWithdrawn: !isGood, restsUntil: 0 })
  }
}

/** What a document says, or undefined if this server has no method by which the client could authenticate. */
function parsed(
  document: Record<string, unknown>,
  name: string,
  parse: (document: Record<string, unknown>) => ClientMetadata,
): ClientMetadata | undefined {
  try {
    return parse(document)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    if (error.reason === 'method_off') return undefined
    const says = `cannot be used: ${error.description}`
    throw new ConfigurationError(name, document, 'a metadata document of a client', { says })
  }
}
