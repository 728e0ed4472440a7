import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestMessage } from '../telemetry/messages'
import type { ResolvedTenant } from '../tenants/resolved-tenant'

/** A request of a tenant, and the response to it. */
export interface Context {
  req: IncomingMessage
  res: ServerResponse
  tenant: ResolvedTenant
  /** When the request came, before its tenant was asked for, by this process's monotonic clock. */
  since: number
  /** What the channel `customer-sign-in:request` tells of it. */
  message: RequestMessage
}

/** Answers a request, or throws the `OAuthError` to answer it with. */
export type Endpoint = (context: Context) => void | Promise<void>
