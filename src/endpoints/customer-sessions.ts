import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Customer, customerRecord } from '../authorization/customer'
import { BoundedMap } from '../collections/bounded-map'
import { PerMinute } from '../collections/per-minute'
import { isObject } from '../configuration/checks'
import { wrongAnswer } from '../configuration/configuration-error'
import type { Client, NullableMembers, Tenant } from '../contract/tenant-store'
import { callHost, type HookAnswer } from '../host/call-host'
import type { Emit } from '../host/emitter'
import { responseBegins } from '../http/node-messages'
import { digest } from '../protocol/digest'
import { oauthError, temporarilyUnavailable } from '../protocol/oauth-error'
import type { Context } from './endpoint'

/** An authorization request that waits for the customer to sign in. */
export interface SignInRequest {
  /** Where to send the browser back to once the customer has logged in. It holds the whole request, but no `prompt=login`. */
  url: string
  /** The tenant's record, as the `tenantStore` gave it. */
  tenant: Tenant
  /** The client. */
  client: Client
  /** What the client asks for, as far as the tenant offers it, and what that implies. */
  scopes: string[]
  /** The protected API that the tokens will be for. */
  resource: string
  /** `[]`, or what the client wants: `login` a fresh login, `consent` the consent page in any case, `none` no page at all. */
  prompt: readonly string[]
  /**
   * Whether the customer has pressed "Use another account": show the login, and end the session when the new login succeeds. `prompt` has
   * `login` then. Only with `pages.switchAccount`.
   */
  switchAccount?: true | undefined
  /** The `login_hint` of the request: who the client thinks the customer is. */
  loginHint?: string | undefined
  /** The tag of the language that the library's own pages have for this request (RFC 5646), such as `de`. */
  language: string
}

/**
 * Returns the customer of the host's session, or nothing if it has answered the request with its login page.
 *
 * @useDeclaredType
 *
 * @example
 * (req, res, { url, tenant }) => {
 *   if (req.session.company === tenant.key) return { subject: req.session.customerId }
 *   return res.redirect(`/login?next=${encodeURIComponent(url)}`)
 * }
 */
export type AuthenticateHook = {
  // The type of a method is bivariant, so a host may declare the request and response types of its framework.
  authenticate(
    req: IncomingMessage,
    res: ServerResponse,
    request: SignInRequest,
  ): HookAnswer<NullableMembers<Customer> | null>
}['authenticate']

/**
 * Finds the customer who is signed in at the host. Undefined if the host has answered the request itself, with its login page.
 *
 * @throws {OAuthError} `login_required` if the customer is not signed in and must not be asked, `temporarily_unavailable` if the hook fails.
 */
export type FindCustomer = ReturnType<typeof customerSessions>

/** @param timeout How long the beginning of the host's login page may take, in milliseconds. */
export function customerSessions(authenticate: AuthenticateHook, timeout: number, emit: Emit) {
  const noteLogin = loginLoops(emit)
  return async (request: SignInRequest, context: Context): Promise<Customer | undefined> => {
    const { req, res } = context
    const customer = await callHost('authenticate', 'unlimited', () => authenticate(req, res, request))
    if (customer !== undefined && customer !== null) return checkedCustomer(customer)
    if (!res.headersSent && request.prompt.includes('none')) {
      throw oauthError('login_required', 'The customer is not signed in')
    }
    if (await responseBegins(res, timeout)) {
      noteLogin(request, context)
      return undefined
    }
    const cause = new Error('authenticate returned no customer and did not answer the request')
    throw temporarilyUnavailable(cause, 'hook_failed')
  }
}

/** Checks what the hook has returned. A wrong customer is the host's fault, so the client is told to try again. */
function checkedCustomer(given: NullableMembers<Customer>): Customer {
  try {
    if (!isObject(given)) throw wrongAnswer('authenticate', given, 'a customer, null or nothing')
    return customerRecord(given, 'customer')
  } catch (error) {
    throw temporarilyUnavailable(error, 'hook_failed')
  }
}

const tenMinutes = 600_000
// A customer who is asked to log in a third time gives up.
const visitsOfLoop = 3

/**
 * Notices that customers are asked to log in again and again, because the cookie of the host's session does not arrive. It remembers at most
 * 1,000 requests, by 16 bytes of their hash: a flood makes it forget others, and not grow. Of all loops, one is told in a minute.
 */
function loginLoops(emit: Emit): (request: SignInRequest, context: Context) => void {
  const visits = new BoundedMap<string, { count: number; since: number }>(1000)
  const perMinute = new PerMinute()
  return ({ url, client: { clientId } }, { res, tenant }) => {
    const name = digest('authorization request', url).slice(0, 22)
    const now = performance.now()
    const known = visits.get(name)
    const { count, since } = known && now < known.since + tenMinutes ? known : { count: 0, since: now }
    visits.set(name, { count: count + 1, since })
    if (count + 1 !== visitsOfLoop || !perMinute.count({ loops: 1 })) return
    const [location] = String(res.getHeader('location') ?? 'a page').split(/[?#]/)
    const error = new Error(
      `authenticate found no customer ${visitsOfLoop} times for one sign-in, and answered with ${res.statusCode} and ${location}. Does the browser send the cookie of the session?`,
    )
    const whose = { tenantKey: tenant.key, tenantId: tenant.id, clientId }
    emit({ type: 'error', where: 'authorize', reason: 'login_loop', error, ...whose })
  }
}
