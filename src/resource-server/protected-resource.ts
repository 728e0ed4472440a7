import type { IncomingMessage } from 'node:http'
import { flag, must, optional, requiredScopes, requirements } from '../configuration/checks'
import type { BaseUrl } from '../http/base-url'
import { requestPath } from '../http/request-path'
import { metadataUrlOf } from '../protocol/protected-resource'
import type { ProtectedResources } from '../tenants/protected-resources'
import type { AccessTokenGuards, Middleware } from './require-access-token'

/** A protected resource that every tenant has, at a path of its own. */
export interface ProtectedResourceOptions {
  /** The path below `baseUrl`, with `:tenantKey` for the tenant: `/v1/:tenantKey/mcp`. */
  path: string
  /** The scopes that a token must have: a list, or a string with spaces between them. The metadata lists them. Default none. */
  scopes?: string | readonly string[]
  /** Whether to ask the store, once for each request, if the grant has ended. Default false. */
  checkRevocation?: boolean
}

const checkedMembers = requirements({
  path: must<string>(
    'a path with :tenantKey as one of its segments',
    (given) => typeof given === 'string' && /^(\/[\w.~-]+)*\/:tenantKey(\/[\w.~-]+)*$/.test(given),
    { quotes: true },
  ),
  scopes: optional(requiredScopes, []),
  checkRevocation: optional(flag, false),
})

/**
 * Announces a protected resource. @returns The middleware that guards it, whose challenges lead to its metadata (RFC 9728 section 5.1).
 */
export function protectedResource(
  options: ProtectedResourceOptions,
  guards: AccessTokenGuards,
  resources: ProtectedResources,
  baseUrl: BaseUrl,
): Middleware<IncomingMessage> {
  const { path, scopes, checkRevocation } = checkedMembers(options, 'protectedResource')
  const announced = resources.announce(path, scopes)
  const tenantKey = (req: IncomingMessage & { originalUrl?: string }) => {
    // No tenant has the key '', so a request target that others may read differently is refused.
    const target = requestPath(req.originalUrl ?? req.url) ?? ''
    return announced.tenantKeyIn(baseUrl.below(target))?.tenantKey ?? ''
  }
  const resource = (req: IncomingMessage) => announced.urlFor(tenantKey(req), baseUrl.current(req))
  const metadataUrl = (req: IncomingMessage) => metadataUrlOf(resource(req))
  const required = { tenantKey, resource, scopes, checkRevocation }
  return guards.middleware({ ...required, guard: 'protectedResource', metadataUrlOf: metadataUrl })
}
