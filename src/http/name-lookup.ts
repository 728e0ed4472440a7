import { promises as dns } from 'node:dns'

// Milliseconds: for the answer of one name server, and for the second family of addresses once there is the first.
const timeout = 2000
const behind = 300

/**
 * Finds all addresses of a host name: none where there is no such name or it has none.
 *
 * @param signal Gives the look-up up.
 * @throws {Error} where the name servers do not say.
 */
export type NameLookup = (name: string, signal: AbortSignal) => Promise<string[]>

/** Looks up as the rest of the process does, by the operating system, with its hosts file. It cannot be given up. */
export const lookUpBySystem: NameLookup = async (name) => {
  const found = await dns.lookup(name, { all: true })
  return found.map(({ address }) => address)
}

/**
 * Looks up by DNS alone and in a resolver of its own, which takes none of the few threads that all other look-ups of the process share.
 *
 * @param servers Addresses of name servers. By default those of the system (`/etc/resolv.conf`).
 */
export function lookUpByDns(servers?: readonly string[]): NameLookup {
  return async (name, signal) => {
    const resolver = new dns.Resolver({ timeout, tries: 1 })
    if (servers) resolver.setServers(servers)
    const families = [resolver.resolve4(name), resolver.resolve6(name)]
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    // Name servers that leave one family unanswered are common.
    const first = Promise.any(families).then(() => setTimeout(cancel, behind).unref(), noTimer)
    try {
      return addressesOf(await Promise.allSettled(families))
    } finally {
      signal.removeEventListener('abort', cancel)
      clearTimeout(await first)
    }
  }
}

const noTimer = () => undefined

function addressesOf(families: PromiseSettledResult<string[]>[]): string[] {
  const addresses = families.flatMap((family) => (family.status === 'fulfilled' ? family.value : []))
  const failed = families.flatMap((family) => (family.status === 'rejected' ? [family.reason] : []))
  const fault = failed.find(({ code }) => !['ENOTFOUND', 'ENODATA', 'EBADNAME'].includes(code))
  if (addresses.length === 0 && fault) throw fault
  return addresses
}
