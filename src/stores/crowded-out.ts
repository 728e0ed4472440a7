import type { RegisteredClient, RegistrationLimits } from './token-store'

/**
 * Which registered clients that nobody uses must make room where one has just been added to them.
 *
 * @param idle All of them, the oldest first and the new one last.
 */
export function* crowdedOut(
  idle: readonly RegisteredClient[],
  { perTenant, total }: RegistrationLimits,
): Iterable<RegisteredClient> {
  const byTenant = new Map<string, RegisteredClient[]>()
  for (const client of idle) {
    const clients = byTenant.get(client.tenantId) ?? []
    byTenant.set(client.tenantId, clients)
    clients.push(client)
  }
  let left = idle.length
  const oldestOf = (clients: RegisteredClient[], count: number) => {
    left -= Math.max(0, count)
    return clients.splice(0, Math.max(0, count))
  }
  const own = byTenant.get(idle.at(-1)?.tenantId ?? '') ?? []
  yield* oldestOf(own, own.length - perTenant)
  while (left > total) {
    // Of equals the first: never the new one, whose tenant is the last where it has no other.
    const most = [...byTenant.values()].reduce((one, other) => (other.length > one.length ? other : one))
    yield* oldestOf(most, 1)
  }
}
