import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import connect from 'connect'
import { type HostParts, mountings, servesCustomers } from './serves-customers'

function app({ signIn, prefix, api, page, failed }: HostParts): RequestListener {
  const host = connect()
  host.use(signIn.wellKnown)
  host.use(prefix || '/', signIn)
  host.use('/api', signIn.requireAccessToken({ tenantKey: 'acme' }))
  host.use('/api', api)
  host.use(page)
  host.use((error: unknown, _req: IncomingMessage, res: ServerResponse, _next: unknown) => failed(error, res))
  return host
}

describe('Connect 3', () => {
  for (const mounting of Object.values(mountings)) servesCustomers(app, mounting)
})
