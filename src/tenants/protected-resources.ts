import { warn } from '../events/emitter'
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
  urlsFor(tenantKey: string, baseUrl: string): string[] {
    const urls = [...this.#announced.values()].map((resource) => resource.urlFor(tenantKey, baseUrl))
    return [...new Set(urls)]
  }

  /** Finds the protected resource that has this address, in canonical form, at a tenant. */
  named(canonical: string, { key, baseUrl }: { key: string; baseUrl: string }): ProtectedResource | undefined {
    for (const resource of this.#announced.values()) {
      if (canonicalResource(resource.urlFor(key, baseUrl)) === canonical) return resource
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
}
