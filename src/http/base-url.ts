import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { ConfigurationError } from '../configuration-error'

/** What Express and Connect add to a request. */
interface HostRequest extends IncomingMessage {
  /** The target before the mount path was taken off. */
  originalUrl?: string
  /** Express's reading of the scheme and host, as its `trust proxy` allows. */
  protocol?: string
  hostname?: string
}

/** The public address of the router: the configured one, or, which only development allows, that of the requests. */
export class BaseUrl {
  readonly #configured: string | undefined
  #latest: string | undefined

  constructor(configured: string | undefined) {
    this.#configured = configured
  }

  /** For a request that the router sees: only there can the path be told under which it is mounted. */
  ofRouter(req: IncomingMessage): string {
    if (this.#configured !== undefined) return this.#configured
    this.#latest = originOf(req) + mountPathOf(req)
    return this.#latest
  }

  /** Anywhere else. */
  current(req?: IncomingMessage): string {
    const baseUrl = this.#configured ?? this.#latest ?? (req && originOf(req))
    if (baseUrl === undefined) {
      throw new ConfigurationError('baseUrl', undefined, 'required before the first request has told the address')
    }
    return baseUrl
  }

  /** The path of the configured address, `''` where there is none. */
  get path(): string {
    return this.#configured === undefined ? '' : new URL(this.#configured).pathname.replace(/\/$/, '')
  }
}

function originOf(req: HostRequest): string {
  const scheme = req.protocol ?? ((req.socket as TLSSocket).encrypted ? 'https' : 'http')
  const host = req.headers.host ?? 'localhost'
  // Express names another host than the header's only where a trusted proxy did.
  return `${scheme}://${req.hostname && !host.startsWith(req.hostname) ? req.hostname : host}`
}

function mountPathOf({ originalUrl = '', url = '' }: HostRequest): string {
  return originalUrl.endsWith(url) ? originalUrl.slice(0, originalUrl.length - url.length) : ''
}
