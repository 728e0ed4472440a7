import type { IncomingMessage } from 'node:http'
import { flag, must, optional, requiredScopes, requirements } from '../configuration/checks'
import { requestPath } from '../http/request-path'
import { metadataUrlOf, resourceAt } from '../protocol/protected-resource'
import type { Service } from '../service'
import { guardWith, type Middleware } from './require-access-token'

/** A protected resource that every tenant has, at a path of its own. */
export interface ProtectedResourceOptions {
  /** The path below `baseUrl`, with `:tenantKey` for the tenant: `/v1/:tenantKey/mcp`. */
  path: string
  /** The scopes that a token must have: a list, or a text with spaces between them. The metadata lists them. Default none. */
  scopes?: string | readonly string[]
  /** Asks the store, once for each request, whether the grant has ended since. Default false. */
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
 * Announces a protected resource and gives the middleware that guards it, whose challenges lead to its metadata (RFC 9728 section
 * 5.1).
 */
export function protectedResource(options: ProtectedResourceOptions, service: Service): Middleware<IncomingMessage> {
  const { path, scopes, checkRevocation } = checkedMembers(options, 'protectedResource')
  const resource = resourceAt(path, scopes)
  service.protectedResources.push(resource)
  const tenantKeyOf = (req: IncomingMessage & { originalUrl?: string }) => {
    // No tenant has the key '': a target that others may read differently opens nothing.
    const target = requestPath(req.originalUrl ?? req.url) ?? ''
    const { path: basePath } = service.baseUrl
    const own = target.startsWith(`${basePath}/`) ? target.slice(basePath.length) : target
    return resource.tenantKeyIn(own)?.tenantKey ?? ''
  }
  const urlOf = (req: IncomingMessage) => resource.urlFor(tenantKeyOf(req), service.baseUrl.current(req))
  const metadataUrl = (req: IncomingMessage) => metadataUrlOf(urlOf(req))
  const required = { tenantKey: tenantKeyOf, resource: urlOf, scopes, checkRevocation }
  return guardWith({ ...required, guard: 'protectedResource', metadataUrlOf: metadataUrl }, service)
}
