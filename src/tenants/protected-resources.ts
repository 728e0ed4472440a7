import { ConfigurationError } from '../configuration/configuration-error'
import { warn } from '../configuration/warnings'
import { issuerOf, type TenantAddress } from '../protocol/issuer'
import { canonicalResource, type ProtectedResource, resourceAt } from '../protocol/resource'

// A host may guard several routes of one API separately. This many calls are probably one for each request.
const maxAnnouncements = 20

/** The protected resources that the host has announced. Every tenant has each of them, at a path of its own. */
export class ProtectedResources {
  readonly #announced = new Map<string, ProtectedResource>()
  /** How often each was announced, by its name. */
  readonly #announcements = new Map<string, number>()

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
    const name = JSON.stringify([path, scopes, scopesSupported])
    const announcements = (this.#announcements.get(name) ?? 0) + 1
    this.#announcements.set(name, announcements)
    if (announcements === maxAnnouncements) {
      warn(
        'PROTECTED_RESOURCE',
        `protectedResource was called again and again for ${path}: call it once, not for each request`,
      )
    }
    const resource = this.#announced.get(name) ?? resourceAt(path, scopes, scopesSupported)
    this.#checkOwnPath(path, resource.urlFor({ baseUrl: '', keyInPath: undefined }))
    this.#announced.set(name, resource)
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

  /** How many resources there are. None is ever taken back. */
  get count(): number {
    return this.#announced.size
  }

  /** The addresses of the resources at a tenant, in the order in which they were announced. */
  urlsFor(address: TenantAddress): string[] {
    const urls = [...this.#announced.values()].map((resource) => resource.urlFor(address))
    return [...new Set(urls)]
  }

  /**
   * What the resources of a tenant, and its issuer, are called at one of its addresses, by what they are called at the others. All in
   * canonical form.
   */
  namesAt(address: TenantAddress, others: readonly TenantAddress[]): ReadonlyMap<string, string> {
    const names = new Map<string, string>()
    for (const other of others) {
      for (const { urlFor } of [...this.#announced.values(), { urlFor: issuerOf }]) {
        names.set(canonicalForm(urlFor(other)), canonicalForm(urlFor(address)))
      }
    }
    return names
  }

  /** Finds the protected resource that has this address, in canonical form, at a tenant. */
  named(canonical: string, address: TenantAddress): ProtectedResource | undefined {
    for (const resource of this.#announced.values()) {
      if (canonicalResource(resource.urlFor(address)) === canonical) return resource
    }
    return undefined
  }

  /** Finds the protected resource at a path below the base URL, and the key of its tenant. */
  at(path: string): { resource: ProtectedResource; tenantKey: string } | undefined {
    for (const resource of this.#announced.values()) {
      const found = resource.tenantKeyIn(path)
      if (found?.rest === '') return { resource, tenantKey: found.tenantKey }
    }
    return undefined
  }

  /** Finds the protected resource at a path on a domain of a tenant's own. */
  onOwnDomain(path: string): ProtectedResource | undefined {
    for (const resource of this.#announced.values()) if (resource.restOnOwnDomain(path) === '') return resource
    return undefined
  }
}

function canonicalForm(url: string): string {
  return canonicalResource(url) ?? url
}
