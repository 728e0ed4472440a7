import { promises as dns } from 'node:dns'
import { BlockList, isIP } from 'node:net'

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
    // Milliseconds.
    const resolver = new dns.Resolver({ timeout: 2000, tries: 1 })
    if (servers) resolver.setServers(servers)
    const families = [resolver.resolve4(name), resolver.resolve6(name)]
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    // Many name servers never answer for one of the families, so the second has 300 ms more than the first.
    const deadline = Promise.any(families).then(
      () => setTimeout(cancel, 300).unref(),
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

const loopback = blockList(['127.0.0.0/8', '::1/128'])

// IANA's registry of special-purpose addresses (RFC 6890), as far as they are not reachable from everywhere.
const reservedIpv4 = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // A public address, but inside Azure it is the agent of the machine's own host.
  '168.63.129.16/32',
])

const globalUnicastIpv6 = blockList(['2000::/3'])
// The parts of it that lead elsewhere: translation to IPv4, tunnels, documentation.
const reservedIpv6 = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/** Whether an IP address is reachable from everywhere on the internet. */
export function isPublic(address: string): boolean {
  return isIP(address) === 4
    ? !reservedIpv4.check(address, 'ipv4')
    : globalUnicastIpv6.check(address, 'ipv6') && !reservedIpv6.check(address, 'ipv6')
}

/** Whether an IP address is a loopback address. */
export function isLoopback(address: string): boolean {
  return loopback.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}
