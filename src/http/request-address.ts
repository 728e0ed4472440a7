import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { ConfigurationError } from '../configuration/configuration-error'
import { isUrl } from '../protocol/resource'

// Some routers read an authority with userinfo, `;`, `%` and the like as the beginning of a path.
const targetOrigin = /^https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?/i

/**
 * The path of a request target in origin form or absolute form (RFC 9112 section 3.2), if every router reads the same path from it.
 * Middleware that a host has mounted by a path, such as a rate limiter, must see every request that this library serves there.
 *
 * @returns Undefined for any other target, and for a path with white space, `\` or `#`.
 */
export function requestPath(target = ''): string | undefined {
  const [path = ''] = target.replace(targetOrigin, '').split('?', 1)
  return /^\/[^\s\\#]*$/.test(path) ? path : undefined
}

/** A request with what Express and Connect add to it. */
export interface HostRequest extends IncomingMessage {
  /** The request target before the mount path was removed. */
  originalUrl?: string | undefined
  /** The scheme as Express reads it, according to its `trust proxy`. */
  protocol?: string | undefined
  app?: { get?(setting: string): unknown } | undefined
}

// A host that every parser reads in the same way.
const plainOrigin = /^https?:\/\/(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/i

/**
 * The host that a request was sent to, as `URL.host` spells it: in lower case, with the port if it is not the default one.
 *
 * @returns Undefined if the request has no host that everybody reads in the same way, or names two different ones.
 */
export function requestHost(req: HostRequest): string | undefined {
  if (namesTwoHosts(req)) return undefined
  const host = hostOfOrigin(requestOrigin(req) ?? '')
  const target = req.originalUrl ?? req.url ?? ''
  // A target in absolute form names a host too (RFC 9112 section 3.2.2). A proxy in front may have gone by either of the two.
  return target.startsWith('/') || (isUrl(target) && new URL(target).host === host) ? host : undefined
}

/** The host of an origin, as `URL.host` spells it. Undefined if the text is no origin that everybody reads in the same way. */
export function hostOfOrigin(origin: string): string | undefined {
  return plainOrigin.test(origin) && isUrl(origin) ? new URL(origin).host : undefined
}

/** The origin that a request was sent to, in the request's own spelling. Undefined if its host cannot be part of an address. */
function requestOrigin(req: HostRequest): string | undefined {
  const host = forwardedHost(req) ?? authorityOf(req) ?? req.headers.host ?? 'localhost'
  const origin = `${requestScheme(req)}://${host}`
  return /^[^/?#@\\\s]+:\/\/[^/?#@\\\s]+$/.test(origin) && isUrl(origin) ? origin : undefined
}

/** The scheme that a request was sent with, as far as this process and a proxy that Express trusts know it. */
function requestScheme(req: HostRequest): string {
  return req.protocol ?? ((req.socket as TLSSocket).encrypted ? 'https' : 'http')
}

/** The host that a request of HTTP/2 names by a header of its own (RFC 9113 section 8.3.1). */
function authorityOf({ httpVersionMajor, headers }: HostRequest): string | undefined {
  const authority = httpVersionMajor >= 2 ? headers[':authority'] : undefined
  return typeof authority === 'string' ? authority : undefined
}

/** Whether a request of HTTP/2 has a `Host` header that names another host than its authority does. */
function namesTwoHosts(req: HostRequest): boolean {
  const authority = authorityOf(req)
  const { host } = req.headers
  if (authority === undefined || host === undefined) return false
  const [one, other] = [authority, host].map((name) => hostOfOrigin(`${requestScheme(req)}://${name}`))
  return one !== other
}

/** The host that the client asked a proxy for, if Express's `trust proxy` trusts that proxy. Express's `req.hostname` loses the port. */
function forwardedHost({ app, headers, socket }: HostRequest): string | undefined {
  const trusts = app?.get?.('trust proxy fn')
  if (typeof trusts !== 'function' || !trusts(socket.remoteAddress, 0)) return undefined
  const [first = ''] = String(headers['x-forwarded-host'] ?? '').split(',', 1)
  return first.trim() || undefined
}

/** The public address of the router: the option `baseUrl`, or outside production the address of the requests. */
export class BaseUrl {
  readonly #configured: string | undefined
  #latest: string | undefined
  #path = ''

  constructor(configured: string | undefined) {
    this.#configured = configured
    if (configured !== undefined) this.#path = new URL(configured).pathname.replace(/\/$/, '')
  }

  /** For a request that reaches the router: only such a request shows the path that the router is mounted under. */
  ofRouter(req: IncomingMessage): string {
    if (this.#configured !== undefined) return this.#configured
    this.#path = mountPathOf(req)
    this.#latest = originOf(req) + this.#path
    return this.#latest
  }

  /**
   * The address for everything else: as the newest request to the router has shown it, or else as this request does.
   *
   * @throws {ConfigurationError} without `baseUrl` and before any request.
   */
  current(req?: IncomingMessage): string {
    const baseUrl = this.#configured ?? this.#latest ?? (req && originOf(req))
    if (baseUrl === undefined) {
      throw new ConfigurationError('baseUrl', undefined, 'set, because no request has shown the address yet')
    }
    return baseUrl
  }

  /** The rest of a path below the path of the address, or the path itself if it is elsewhere. */
  below(path: string): string {
    return path.startsWith(`${this.#path}/`) ? path.slice(this.#path.length) : path
  }

  /** Whether the host has set it, so that no request decides it. */
  get isConfigured(): boolean {
    return this.#configured !== undefined
  }

  /** The path of the address, or `''`. */
  get path(): string {
    return this.#path
  }
}

function originOf(req: HostRequest): string {
  return requestOrigin(req) ?? `${requestScheme(req)}://localhost`
}

function mountPathOf({ originalUrl = '', url = '' }: HostRequest): string {
  const [whole = '', own = ''] = [originalUrl, url].map((target) => target.split('?', 1)[0])
  if (own === '/') return whole.replace(/\/$/, '')
  return whole.endsWith(own) ? whole.slice(0, whole.length - own.length) : ''
}

/**
 * Whether a request may come from a page of this server, by what the browser says of it (Fetch Metadata). What another site has made the
 * browser send is nothing that somebody here has pressed. A browser that says nothing is believed: a form has a token, too. `Origin` is
 * `null` where a page has a strict `Referrer-Policy`.
 */
export function isSameOrigin({ headers }: IncomingMessage): boolean {
  return ['same-origin', 'none', undefined].includes(headers['sec-fetch-site'] as string | undefined)
}
