import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import connect from 'connect'
import { mountings } from './mountings'
import { type HostParts, servesCustomersInProcess } from './served-in-process'

function app({ signIn, prefix, guard, api, page, failed }: HostParts): RequestListener {
  const host = connect()
  host.use(signIn.wellKnown)
  host.use(prefix || '/', signIn)
  for (const tenantKey of ['acme', 'globex', 'initech']) {
    host.use(`${prefix}/v1/${tenantKey}/bookings`, guard)
    host.use(`${prefix}/v1/${tenantKey}/bookings`, api)
  }
  host.use(page)
  host.use((error: unknown, _req: IncomingMessage, res: ServerResponse, _next: unknown) => failed(error, res))
  return host
}

describe('Connect 3', () => {
  for (const mounting of Object.values(mountings)) servesCustomersInProcess(app, mounting)
})
