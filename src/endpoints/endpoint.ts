import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Service } from '../service'
import type { ResolvedTenant } from '../tenants/tenants'

/** What the router hands to an endpoint. */
export interface EndpointContext {
  req: IncomingMessage
  res: ServerResponse
  tenant: ResolvedTenant
  service: Service
}

/** Answers a request, or throws the `OAuthError` to answer it with. */
export type Endpoint = (context: EndpointContext) => void | Promise<void>
