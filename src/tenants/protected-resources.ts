import { warn } from '../events/emitter'
import { issuerOf, type TenantAddress } from '../protocol/issuer'
import { type ProtectedResource, resourceAt } from '../protocol/protected-resource'
import { canonicalResource } from '../protocol/resource'

// A host may guard several routes of one API separately. This many calls are probably one for each request.
const maxAnnouncements = 20

/** The protected resources that the host has announced. Every tenant has each of them, at a path of its own. */
export class ProtectedResources {
  readonly #announced = new Map<string, ProtectedResource>()
  /** How often each was announced, by its name. */
  readonly #announcements = new Map<string, number>()

  /** @param path With `:tenantKey` as one of its segments. */
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
    this.#announced.set(name, resource)
    return resource
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
