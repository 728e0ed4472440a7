import type { IncomingMessage } from 'node:http'
import { ConfigurationError } from '../configuration/configuration-error'
import { type HostRequest, requestOrigin, requestScheme } from './request-host'

/** The public address of the router: the option `baseUrl`, or outside production the address of the requests. */
export class BaseUrl {
  readonly #configured: string | undefined
  #latest: string | undefined
  #path = ''

  constructor(configured: string | undefined) {
    this.#configured = configured
    if (configured !== undefined) this.#path = pathOf(configured)
  }

  /** For a request that reaches the router: only such a request shows the path that the router is mounted under. */
  ofRouter(req: IncomingMessage): string {
    if (this.#configured !== undefined) return this.#configured
    this.#path = mountPathOf(req)
    this.#latest = originOf(req) + this.#path
    return this.#latest
  }

  /**
   * For everything else: the address of the newest request that reached the router, or of this request.
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

  /** The path of the address, or `''`. */
  get path(): string {
    return this.#path
  }
}

function pathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '')
}

function originOf(req: HostRequest): string {
  return requestOrigin(req) ?? `${requestScheme(req)}://localhost`
}

function mountPathOf({ originalUrl = '', url = '' }: HostRequest): string {
  const whole = withoutQuery(originalUrl)
  const own = withoutQuery(url)
  if (own === '/') return whole.replace(/\/$/, '')
  return whole.endsWith(own) ? whole.slice(0, whole.length - own.length) : ''
}

function withoutQuery(target: string): string {
  return target.split('?')[0] ?? ''
}
