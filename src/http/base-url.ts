import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { ConfigurationError } from '../configuration/configuration-error'

/** What Express and Connect add to a request. */
interface HostRequest extends IncomingMessage {
  /** The target before the mount path was taken off. */
  originalUrl?: string | undefined
  /** Express's reading of the scheme, as its `trust proxy` allows. */
  protocol?: string | undefined
  app?: { get?(setting: string): unknown } | undefined
}

/** The public address of the router: the configured one, or, which only development allows, that of the requests. */
export class BaseUrl {
  readonly #configured: string | undefined
  #latest: string | undefined
  #path = ''

  constructor(configured: string | undefined) {
    this.#configured = configured
    if (configured !== undefined) this.#path = pathOf(configured)
  }

  /** For a request that the router sees: only there can the path be told under which it is mounted. */
  ofRouter(req: IncomingMessage): string {
    if (this.#configured !== undefined) return this.#configured
    this.#path = mountPathOf(req)
    this.#latest = originOf(req) + this.#path
    return this.#latest
  }

  /** Anywhere else. */
  current(req?: IncomingMessage): string {
    const baseUrl = this.#configured ?? this.#latest ?? (req && originOf(req))
    if (baseUrl === undefined) {
      throw new ConfigurationError('baseUrl', undefined, 'set, as no request has told the address yet')
    }
    return baseUrl
  }

  /** The path of the address, `''` where it has none. */
  get path(): string {
    return this.#path
  }
}

function pathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '')
}

function originOf(req: HostRequest): string {
  const scheme = req.protocol ?? ((req.socket as TLSSocket).encrypted ? 'https' : 'http')
  const origin = `${scheme}://${forwardedHost(req) ?? req.headers.host ?? 'localhost'}`
  return /^[^/?#@\\\s]+:\/\/[^/?#@\\\s]+$/.test(origin) && URL.canParse(origin) ? origin : `${scheme}://localhost`
}

/** The host that a proxy was asked for, if Express's `trust proxy` trusts it. Express's own reading loses the port. */
function forwardedHost({ app, headers, socket }: HostRequest): string | undefined {
  const trusts = app?.get?.('trust proxy fn')
  if (typeof trusts !== 'function' || !trusts(socket.remoteAddress, 0)) return undefined
  return [headers['x-forwarded-host']].flat()[0]?.split(',', 1)[0]?.trim() || undefined
}

function mountPathOf({ originalUrl = '', url = '' }: HostRequest): string {
  const [original = '', own = ''] = [originalUrl, url].map((target) => target.split('?', 1)[0])
  if (own === '/') return original.replace(/\/$/, '')
  return original.endsWith(own) ? original.slice(0, original.length - own.length) : ''
}
