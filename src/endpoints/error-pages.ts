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

/** Tells a customer why a sign-in did not work. Never throws, because no caller is left to catch an error. */
export type RespondWithErrorPage = ReturnType<typeof errorPages>

/** @param timeout How long the beginning of the host's own page may take, in milliseconds. */
export function errorPages(hook: ErrorPageHook | undefined, appearances: Appearances, timeout: number, emit: Emit) {
  return async (req: IncomingMessage, res: ServerResponse, error: OAuthError, tenant: ResolvedTenant | undefined) => {
    const appearance = appearances.of(req, tenant?.look)
    if (hook && !res.headersSent) {
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
      if (await isShown(() => hook(req, res, shown), res, error)) return
    }
    respondWithErrorPage(res, error, appearance, tenant?.look.name ?? tenant?.key)
  }

  /** Whether the host has shown its page. If it has sent nothing, the response is as it was before. */
  async function isShown(show: () => unknown, res: ServerResponse, error: OAuthError): Promise<boolean> {
    const before = res.getHeaders()
    try {
      res.statusCode = pageStatus(error)
      setHeaders(res, { ...pageHeaders(error), 'Cache-Control': 'no-store', ...keepsOpener, ...nosniff })
      const called = (async () => show())()
      const begins = responseBegins(res, timeout)
      const isSent = called.then(() => begins)
      // A hook that has begun its page may take its time, and may still fail.
      if (await Promise.race([isSent, begins.then((begun) => begun && isSent)])) return true
      throw new Error('pages.error did not answer the request')
    } catch (thrown) {
      emit(faultEvent('pages.error', temporarilyUnavailable(thrown, 'hook_failed'), error.context))
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
