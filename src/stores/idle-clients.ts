import type { RegisteredClient, RegistrationLimits } from './token-store'

/** The registered clients that are not in use: by tenant, and in the order in which they make room. */
export class IdleClients {
  readonly #byTenant = new Map<string, Map<string, RegisteredClient>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Adds a new client, after all others of its tenant. */
  add(client: RegisteredClient): void {
    const clients = this.#byTenant.get(client.tenantId) ?? new Map<string, RegisteredClient>()
    this.#byTenant.set(client.tenantId, clients.set(client.clientId, client))
    this.#size++
  }

  /** Removes a client, if it is one of these. */
  delete({ tenantId, clientId }: RegisteredClient): void {
    const clients = this.#byTenant.get(tenantId)
    if (!clients?.delete(clientId)) return
    if (clients.size === 0) this.#byTenant.delete(tenantId)
    this.#size--
  }

  /** The client to delete next after a client of this tenant has been added, or undefined if the limits are kept. */
  nextToDelete(tenantId: string, { perTenant, total }: RegistrationLimits): RegisteredClient | undefined {
    const own = this.#byTenant.get(tenantId)
    if (own && own.size > perTenant) return oldestOf(own)
    if (this.#size <= total) return undefined
    // Of tenants with equally many, the first. A tenant whose only client is the new one comes last, so that one is never deleted.
    let largest: Map<string, RegisteredClient> | undefined
    for (const clients of this.#byTenant.values()) {
      if (!largest || clients.size > largest.size) largest = clients
    }
    return largest && oldestOf(largest)
  }
}

function oldestOf(clients: Map<string, RegisteredClient>): RegisteredClient | undefined {
  return clients.values().next().value
}
