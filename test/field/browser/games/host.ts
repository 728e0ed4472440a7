import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CustomerSignInOptions, MemoryTenantStore } from 'customer-sign-in'
import express, { type Express } from 'express'
import { Authorization } from '../../../support/authorization'
import { testSignIn } from '../../../support/host-app'
import { registered } from '../../../support/registration'
import { companies, site } from '../../../support/visit'

/** How the consent page arrives: in pieces, with this many milliseconds in front of each but the first. */
export interface Delay {
  /** @param page Its HTML. @returns Where each piece but the first begins. */
  cuts(page: string): number[]
  pause: number
}

export interface HostOptions {
  /** Options of the sign-in. */
  host?: Partial<CustomerSignInOptions> | undefined
  /** A header that something in front of the host removes. */
  withoutHeader?: string | undefined
  /** Where the client of the stranger gets its codes, if not at a page of the stranger. */
  redirectUri?: string | undefined
}

/** What the host saw. */
export type HostEvent = 'shown' | 'posted' | 'code' | 'refused'

/**
 * The host that the customer is signed in to, and something in front of it: it sees what the sign-in answers, and in some games it sends the
 * page in pieces, or puts a script into it that moves the page at a known moment as no page of another origin can.
 */
export class GamesHost {
  /** The address of the consent page. */
  consent = ''
  /** The value of `Sec-Purpose` in each request for the consent page: what a browser fetches ahead of time says so. */
  readonly purposes: unknown[] = []
  delay: Delay | undefined
  /** A script in the page, which then has no content security policy. */
  script = ''
  readonly #tell: (event: HostEvent) => void

  private constructor(tell: (event: HostEvent) => void) {
    this.#tell = tell
  }

  static async start(
    ownRedirectUri: string,
    { host: options = {}, withoutHeader = '', redirectUri = ownRedirectUri }: HostOptions,
    tell: (event: HostEvent) => void,
  ): Promise<GamesHost> {
    const host = new GamesHost(tell)
    let routes: Express = express()
    const { origin } = await site((app) => {
      routes = app
    })
    routes.use('/v1/:tenant/oauth/authorize', ({ method, headers }, res, next) => {
      if (method === 'POST') tell('posted')
      else host.purposes.push(headers['sec-purpose'])
      host.#alter(res, withoutHeader)
      next()
    })
    const authenticate = () => ({ subject: 'customer-1', name: 'Ada Lovelace' })
    const tenantStore = new MemoryTenantStore(companies)
    routes.use(testSignIn({ baseUrl: origin, tenantStore, authenticate, ...options }))
    const at = { url: origin }
    const client_id = await registered(at, { client_name: 'Free Games', redirect_uris: [redirectUri] })
    host.consent = origin + new Authorization(at, { client_id, redirect_uri: redirectUri }).path
    return host
  }

  /** Tells what a response is, and changes it if it is a page with buttons. */
  #alter(res: ServerResponse, withoutHeader: string): void {
    const writeHead = res.writeHead.bind(res)
    const end = res.end.bind(res)
    res.writeHead = ((status: number, headers: OutgoingHttpHeaders = {}) => {
      const { Location: location } = headers
      if (typeof location === 'string') this.#tell(new URL(location).searchParams.has('code') ? 'code' : 'refused')
      const dropped = [withoutHeader, ...(this.script || this.delay ? ['Content-Length'] : [])]
      if (this.script) dropped.push('Content-Security-Policy')
      for (const name of dropped) if (name) res.removeHeader(name)
      return writeHead(status, Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.includes(name))))
    }) as ServerResponse['writeHead']
    res.end = ((content: string | Buffer = '') => {
      const page = String(content)
      if (!page.includes('<button')) return end(content)
      void this.#send(res, end, this.script ? `${page}<script>${this.script}</script>` : page)
      return res
    }) as ServerResponse['end']
  }

  async #send(res: ServerResponse, end: () => void, page: string): Promise<void> {
    const { cuts, pause } = this.delay ?? { cuts: () => [], pause: 0 }
    const begins = [0, ...cuts(page)]
    for (const [index, begin] of begins.entries()) {
      const piece = page.slice(begin, begins[index + 1])
      if (index > 0) await sleep(pause)
      if (piece.includes('value="allow"')) this.#tell('shown')
      res.write(piece)
    }
    end()
  }
}
