import { promises as dns } from 'node:dns'

// Milliseconds.
const timeout = 2000
// How much later than the first family of addresses the second may come.
const maxDelay = 300

/**
 * Finds all addresses of a host name: none if the name does not exist or has no address.
 *
 * @param signal Aborts the look-up.
 * @throws {Error} if the name servers fail.
 */
export type NameLookup = (name: string, signal: AbortSignal) => Promise<string[]>

/** Looks up through the operating system, with its hosts file, as the rest of the process does. Cannot be aborted. */
export const lookUpBySystem: NameLookup = async (name) => {
  const found = await dns.lookup(name, { all: true })
  return found.map(({ address }) => address)
}

/**
 * Looks up through DNS alone, with a resolver of its own: look-ups through the operating system would take the few threads that the whole
 * process shares.
 *
 * @param servers Addresses of name servers. Default: those of the system (`/etc/resolv.conf`).
 */
export function lookUpByDns(servers?: readonly string[]): NameLookup {
  return async (name, signal) => {
    const resolver = new dns.Resolver({ timeout, tries: 1 })
    if (servers) resolver.setServers(servers)
    const families = [resolver.resolve4(name), resolver.resolve6(name)]
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    // Many name servers never answer for one of the families.
    const deadline = Promise.any(families).then(
      () => setTimeout(cancel, maxDelay).unref(),
      () => undefined,
    )
    try {
      return addressesOf(await Promise.allSettled(families))
    } finally {
      signal.removeEventListener('abort', cancel)
      clearTimeout(await deadline)
    }
  }
}

function addressesOf(families: PromiseSettledResult<string[]>[]): string[] {
  const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
  const failed = families.flatMap((family) => (family.status === 'rejected' ? [family.reason] : []))
  const fault = failed.find(({ code }) => !['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(code))
  if (addresses.length === 0 && fault) throw fault
  return addresses
}
