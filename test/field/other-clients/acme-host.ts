import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import {
  type CustomerSignInEvent,
  type CustomerSignInOptions,
  createCustomerSignIn,
  MemoryTokenStore,
  type TenantStore,
} from 'customer-sign-in'
import express, { type Express } from 'express'
import { signingKey } from '../../support/sign-in'
import { testCertificate } from '../../support/tls-certificate'

interface AcmeHostOptions extends Partial<CustomerSignInOptions> {
  /** What the host has mounted in front of sign-in. */
  before?: (app: Express) => void
}

/** The platform of Acme on a free loopback port, over TLS: sign-in, at which the customer is logged in already, and an API. */
export class AcmeHost {
  readonly app: Express = express()
  readonly events: CustomerSignInEvent[] = []
  readonly #server: Server

  private constructor(server: Server, tenantStore: TenantStore, { before, ...options }: AcmeHostOptions) {
    this.#server = server
    const { app } = this
    const signIn = createCustomerSignIn({
      tenantStore,
      tokenStore: new MemoryTokenStore(),
      baseUrl: this.origin,
      keys: { signing: [signingKey] },
      authenticate: () => ({ subject: 'ada' }),
      onEvent: (event) => this.events.push(event),
      ...options,
    })
    before?.(app)
    app.use(signIn)
    app.use('/v1/acme/bookings', (_req, res, next) => {
      // A client in a browser calls the API from another origin.
      res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Authorization' })
      next()
    })
    app.options('/v1/acme/bookings', (_req, res) => res.end())
    app.use('/v1/acme/bookings', signIn.requireAccessToken({ tenantKey: 'acme', scopes: 'profile' }))
    app.get('/v1/acme/bookings', (req, res) => {
      const { subject, clientId } = signIn.auth(req)
      res.json({ subject, clientId })
    })
    server.on('request', app)
  }

  static async start(tenantStore: TenantStore, options: AcmeHostOptions = {}): Promise<AcmeHost> {
    const server = createServer(testCertificate())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new AcmeHost(server, tenantStore, options)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  get origin(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** How often each event has happened. */
  count(type: CustomerSignInEvent['type']): number {
    return this.events.filter((event) => event.type === type).length
  }
}
