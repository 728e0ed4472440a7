import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Tenant } from '../contract/tenant-store'
import type { HookAnswer } from '../host/call-host'
import { type Emit, faultEvent } from '../host/emitter'
import { responseBegins } from '../http/node-messages'
import { keepsOpener, nosniff } from '../http/responses'
import type { Appearances } from '../pages/appearance'
import { pageHeaders, pageStatus, repeatAddress, respondWithErrorPage } from '../pages/error-page'
import { type OAuthError, temporarilyUnavailable } from '../protocol/oauth-error'
import type { OAuthErrorCode } from '../protocol/oauth-error-codes'
import type { DenialReason, FaultReason } from '../protocol/reasons'
import type { ResolvedTenant } from '../tenants/resolved-tenant'

/** What a customer can be told about an error for which there is no safe address to redirect the browser to. */
export interface ShownError {
  /** The status of the response, which is set already. */
  status: number
  /** The OAuth error code. */
  code: OAuthErrorCode
  /** A sentence in English for the client's developer. */
  description: string
  /** Why, in a stable word for programs, if there is one that says more than the code (docs/events.md). */
  reason?: DenialReason | FaultReason | undefined
  /** The tag of the language that the library's own page would have (RFC 5646), such as `de`. */
  language: string
  /** The tenant's record, as the `tenantStore` gave it. Absent if the error is that there is none. */
  tenant?: Tenant | undefined
  /** The address of a link that repeats the request, where that can help: a query, to be written as text. */
  tryAgain?: string | undefined
}

/**
 * Shows an error to a customer in the host's own way. It must answer the request.
 *
 * @useDeclaredType
 *
 * @example
 * (req, res, { tenant, tryAgain }) => res.render('sign-in-error', { company: tenant?.name, tryAgain })
 */
export type ErrorPageHook = {
  // The type of a method is bivariant, so a host may declare the request and response types of its framework.
  errorPage(req: IncomingMessage, res: ServerResponse, error: ShownError): HookAnswer<unknown>
}['errorPage']

/** Tells customers why a sign-in cannot go on. */
export class ErrorPages {
  readonly #hook: ErrorPageHook | undefined
  readonly #appearances: Appearances
  readonly #timeout: number
  readonly #emit: Emit

  /** @param timeout How long the beginning of the host's own page may take, in milliseconds. */
  constructor(hook: ErrorPageHook | undefined, appearances: Appearances, timeout: number, emit: Emit) {
    this.#hook = hook
    this.#appearances = appearances
    this.#timeout = timeout
    this.#emit = emit
  }

  /** Sends the page. Never throws, because no caller is left to catch an error. */
  async respond(
    req: IncomingMessage,
    res: ServerResponse,
    error: OAuthError,
    tenant: ResolvedTenant | undefined,
  ): Promise<void> {
    const appearance = this.#appearances.of(req, tenant?.look)
    if (this.#hook && !res.headersSent) {
      const { code, description, reason } = error
      const shown: ShownError = {
        status: pageStatus(error),
        code,
        description,
        reason,
        language: appearance.language.tag,
        tenant: tenant?.record,
        tryAgain: repeatAddress(req, error),
      }
      if (await this.#isShown(this.#hook, req, res, error, shown)) return
    }
    respondWithErrorPage(res, error, appearance, tenant?.look.name ?? tenant?.key)
  }

  /** Whether the host has shown its page. If it has sent nothing, the response is as it was before. */
  async #isShown(
    hook: ErrorPageHook,
    req: IncomingMessage,
    res: ServerResponse,
    error: OAuthError,
    shown: ShownError,
  ): Promise<boolean> {
    const before = res.getHeaders()
    try {
      res.statusCode = shown.status
      setHeaders(res, { ...pageHeaders(error), 'Cache-Control': 'no-store', ...keepsOpener, ...nosniff })
      const called = (async () => hook(req, res, shown))()
      const begins = responseBegins(res, this.#timeout)
      const isSent = called.then(() => begins)
      // A hook that has begun its page may take its time, and may still fail.
      if (await Promise.race([isSent, begins.then((begun) => begun && isSent)])) return true
      throw new Error('pages.error did not answer the request')
    } catch (thrown) {
      this.#emit(faultEvent('pages.error', temporarilyUnavailable(thrown, 'hook_failed'), error.context))
      if (res.headersSent) return false
      // What the host has set is for its own page, for example how that is encoded.
      for (const name of res.getHeaderNames()) res.removeHeader(name)
      setHeaders(res, before)
      return false
    }
  }
}

function setHeaders(res: ServerResponse, headers: OutgoingHttpHeaders): void {
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) res.setHeader(name, value)
}
