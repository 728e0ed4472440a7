import type { RequestListener } from 'node:http'
import express, { type NextFunction, type Request, type Response } from 'express4'
import { type HostParts, mountings, servesCustomers } from './serves-customers'

function app({ signIn, prefix, api, page, failed }: HostParts): RequestListener {
  const host = express()
  host.use(signIn.wellKnown)
  host.use(prefix || '/', signIn)
  host.use('/api', signIn.requireAccessToken({ tenantKey: 'acme' }), api)
  host.use(page)
  host.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => failed(error, res))
  return host
}

describe('Express 4', () => {
  for (const mounting of Object.values(mountings)) servesCustomers(app, mounting)
})
