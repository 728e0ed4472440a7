import type { RequestListener } from 'node:http'
import express, { type NextFunction, type Request, type Response } from 'express4'
import { mountings } from './mountings'
import { type HostParts, servesCustomersInProcess } from './served-in-process'

function app({ signIn, prefix, guard, api, page, failed }: HostParts): RequestListener {
  const host = express()
  host.use(signIn.wellKnown)
  host.use(prefix || '/', signIn)
  host.use(`${prefix}/v1/:tenantKey/bookings`, guard, api)
  host.use(page)
  host.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => failed(error, res))
  return host
}

describe('Express 4', () => {
  for (const mounting of Object.values(mountings)) servesCustomersInProcess(app, mounting)
})
