import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CustomerSignInEvent,
  type CustomerSignInOptions,
  MemoryTenantStore,
  MemoryTokenStore,
  type Tenant,
} from 'customer-sign-in'
import express, { type Express } from 'express'
import { mcpServer } from '../../support/mcp-server'
import { signingKey } from '../../support/sign-in'
import { createSignIn, replaced } from '../../support/test-options'
import type { HostSettings } from './assistant'

const path = '/v1/:tenantKey/mcp'

/** A company's app with the README's options and an MCP server, on a free loopback port. `customer-1` is always logged in. */
export class AssistantHost {
  readonly events: CustomerSignInEvent[] = []
  readonly url: string
  /** The address that a customer pastes into an assistant. */
  readonly api: string
  readonly issuer: string
  readonly #server: Server

  private constructor(server: Server, { options, client, ownDomain, circumstances }: HostSettings) {
    this.#server = server
    const { port } = server.address() as AddressInfo
    this.url = `http://127.0.0.1:${port}`
    const company: Tenant = { key: 'acme', id: '1', name: 'Acme Air', clients: client ? [client] : [] }
    this.api = this.url + (ownDomain ? '/mcp' : path.replace(':tenantKey', 'acme'))
    this.issuer = this.url + (ownDomain ? '' : '/v1/acme/oauth')
    const needed: CustomerSignInOptions = {
      tenantStore: new MemoryTenantStore([ownDomain ? { ...company, baseUrl: this.url } : company]),
      tokenStore: new MemoryTokenStore(),
      refreshRetryWindow: 300,
      authenticate: () => ({ subject: 'customer-1' }),
      baseUrl: ownDomain ? `http://localhost:${port}` : this.url,
      keys: { signing: [signingKey] },
      scopes: { 'bookings:read': 'see your bookings', 'bookings:write': 'change your bookings' },
      // The documents of the players are on loopback.
      clients: { documents: 'with-loopback' },
      onEvent: (event) => this.events.push(event),
    }
    const signIn = createSignIn(needed, replaced(options ?? {}, circumstances ?? {}))
    const app: Express = express()
    app.use(signIn)
    const paths = [path, '/mcp']
    app.all(paths, signIn.protectedResource({ path, scopes: ['bookings:read'] }))
    app.post(paths, mcpServer(signIn))
    // Other methods would open a stream of messages from the server, which has none to send.
    app.all(paths, (_req, res) => void res.status(405).end())
    server.on('request', app)
  }

  static async start(settings: HostSettings = {}): Promise<AssistantHost> {
    const server = createServer()
    // On a busy machine, a client may send a request just as an idle connection is closed.
    server.keepAliveTimeout = 0
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      return new AssistantHost(server, settings)
    } catch (error) {
      server.close()
      throw error
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** What went wrong: the events that tell of it. That an access token has expired is not wrong. */
  get troubles(): CustomerSignInEvent[] {
    return this.events.filter(
      (event) =>
        ['error', 'replayed', 'revoked'].includes(event.type) ||
        (event.type === 'denied' && event.where !== 'protectedResource'),
    )
  }
}
