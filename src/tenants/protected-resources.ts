import { ConfigurationError } from '../configuration/configuration-error'
import { warn } from '../configuration/warnings'
import {
  canonicalResource,
  issuerOf,
  metadataUrlOf,
  type ProtectedResource,
  resourceAt,
  type TenantAddress,
} from '../protocol/resource'

// A host may guard several routes of one API separately. This many calls are probably one for each request.
const maxAnnouncements = 20

/** The protected resources that the host has announced. Every tenant has each of them, at a path of its own. */
export class ProtectedResources {
  /** All of them, in the order in which they were announced. Another list whenever there is one more. */
  all: readonly ProtectedResource[] = []
  /** Each, and how often it was announced, by all that was said of it. */
  readonly #announced = new Map<string, { resource: ProtectedResource; times: number }>()
  readonly #areFoundByHost: boolean
  /** The paths of the resources, by those that they have on a domain of a tenant's own. */
  readonly #paths = new Map<string, string>()

  /** @param areFoundByHost Whether tenants can have a domain of their own. */
  constructor(areFoundByHost: boolean) {
    this.#areFoundByHost = areFoundByHost
  }

  /**
   * @param path With `:tenantKey` as one of its segments.
   * @throws {ConfigurationError} if it is another resource's path on a domain of a tenant's own.
   */
  announce(path: string, scopes: readonly string[], scopesSupported: readonly string[]): ProtectedResource {
    const said = JSON.stringify([path, scopes, scopesSupported])
    const known = this.#announced.get(said)
    if (known) {
      const advice = `protectedResource was called again and again for ${path}: call it once, not for each request`
      if (++known.times === maxAnnouncements) warn('PROTECTED_RESOURCE', advice)
      return known.resource
    }
    const resource = resourceAt(path, scopes, scopesSupported)
    this.#checkOwnPath(path, resource.urlFor({ baseUrl: '', keyInPath: undefined }))
    this.#announced.set(said, { resource, times: 1 })
    this.all = [...this.all, resource]
    return resource
  }

  /** A token for one of two resources with one address would be a token for the other. */
  #checkOwnPath(path: string, ownPath: string): void {
    const other = this.#paths.get(ownPath) ?? path
    if (this.#areFoundByHost && other !== path) {
      throw new ConfigurationError('protectedResource.path', path, 'a path that ends differently after :tenantKey', {
        says: `is ${path}, which is ${ownPath} on a company's own domain, as ${other} is: let the two end differently after :tenantKey`,
      })
    }
    this.#paths.set(ownPath, path)
  }

  /** What a tenant's resources, and its issuer, are called at one of its addresses, by their names at the others. All in canonical form. */
  namesAt(address: TenantAddress, others: readonly TenantAddress[]): ReadonlyMap<string, string> {
    const names = new Map<string, string>()
    for (const other of others) {
      for (const { urlFor } of [...this.all, { urlFor: issuerOf }]) {
        names.set(canonicalResource(urlFor(other)) ?? '', canonicalResource(urlFor(address)) ?? '')
      }
    }
    return names
  }

  /** Finds the protected resource that has this address, in canonical form, at a tenant. */
  named(canonical: string, address: TenantAddress): ProtectedResource | undefined {
    return this.all.find(({ urlFor }) => canonicalResource(urlFor(address)) === canonical)
  }

  /** The address of the metadata of that resource (RFC 9728 section 3.1). Undefined if the host has announced none. */
  metadataUrlOf(canonical: string | undefined, address: TenantAddress): string | undefined {
    const found = this.named(canonical ?? '', address)
    return found && metadataUrlOf(found.urlFor(address))
  }

  /** Finds the protected resource at a path below the base URL, with or without a slash at its end, and the key of its tenant. */
  at(path: string): { resource: ProtectedResource; tenantKey: string } | undefined {
    for (const resource of this.all) {
      const found = resource.tenantKeyIn(path.replace(/\/$/, ''))
      if (found?.rest === '') return { resource, tenantKey: found.tenantKey }
    }
    return undefined
  }

  /** Finds the protected resource at a path on a domain of a tenant's own, with or without a slash at its end. */
  onOwnDomain(path: string): ProtectedResource | undefined {
    return this.all.find(({ restOnOwnDomain }) => restOnOwnDomain(path.replace(/\/$/, '')) === '')
  }
}
