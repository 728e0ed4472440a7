import { BlockList, isIP } from 'node:net'

const loopback = blockList(['127.0.0.0/8', '::1/128'])

// The special-purpose registries of IANA (RFC 6890): whatever is not reachable from everywhere.
const special = blockList([
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
  // In a public network, but inside Azure the agent of the machine's own host.
  '168.63.129.16/32',
])

// The addresses of the internet, without the parts of them that lead elsewhere: translation to IPv4, tunnels, documentation.
const globalUnicast = blockList(['2000::/3'])
const specialSix = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

/** Whether an IP address is one of the internet's, the same for everybody. */
export function isPublic(address: string): boolean {
  return isIP(address) === 4
    ? !special.check(address, 'ipv4')
    : globalUnicast.check(address, 'ipv6') && !specialSix.check(address, 'ipv6')
}

/** Whether an IP address is this machine's own. */
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
