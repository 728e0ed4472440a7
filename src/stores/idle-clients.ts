import type { RegisteredClient, RegistrationLimits } from './token-store'

/** The registered clients that are not in use, by tenant and in the order in which they make room. */
export class IdleClients {
  readonly #byTenant = new Map<string, Map<string, RegisteredClient>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Puts a client that is not among them behind all others of its tenant. */
  add(client: RegisteredClient): void {
    const clients = this.#byTenant.get(client.tenantId) ?? new Map<string, RegisteredClient>()
    this.#byTenant.set(client.tenantId, clients.set(client.clientId, client))
    this.#size++
  }

  /** Takes a client out, if it is among them. */
  delete({ tenantId, clientId }: RegisteredClient): void {
    const clients = this.#byTenant.get(tenantId)
    if (!clients?.delete(clientId)) return
    if (clients.size === 0) this.#byTenant.delete(tenantId)
    this.#size--
  }

  /** The next one that must make room where one of this tenant has just been added; undefined where there are no more than may be. */
  crowdedOut(tenantId: string, { perTenant, total }: RegistrationLimits): RegisteredClient | undefined {
    const own = this.#byTenant.get(tenantId)
    if (own && own.size > perTenant) return oldestOf(own)
    if (this.#size <= total) return undefined
    // Of equals the first: never the new one, whose tenant is the last where it has no other.
    let most: Map<string, RegisteredClient> | undefined
    for (const clients of this.#byTenant.values()) {
      if (!most || clients.size > most.size) most = clients
    }
    return most && oldestOf(most)
  }
}

function oldestOf(clients: Map<string, RegisteredClient>): RegisteredClient | undefined {
  return clients.values().next().value
}
