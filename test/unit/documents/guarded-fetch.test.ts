import http from 'node:http'
import https from 'node:https'
import { isIP } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { lookUpBySystem } from '../../../src/documents/addresses'
import { type FetchGuard, guardedFetch } from '../../../src/documents/guarded-fetch'
import { Authorization, asTheySay, expectErrorPage } from '../../support/authorization'
import { connectionsBegunBy } from '../../support/connections'
import { DocumentServer, publishing } from '../../support/document-server'
import { started } from '../../support/started'

const outside: FetchGuard = { allowLoopback: false, ports: [443], lookUp: lookUpBySystem }
const withLoopback: FetchGuard = { ...outside, allowLoopback: true }

/** Addresses that are not public, by the reason. */
const inside: Readonly<Record<string, readonly string[]>> = {
  'this machine': ['127.0.0.1', '127.0.0.2', '127.255.255.255', '0.0.0.0', '0.1.2.3', '::1', '::'],
  'private networks': ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'shared by a provider’s customers': ['100.64.0.1', '100.127.255.255'],
  'of a link, where clouds keep their metadata': [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.0.1',
    'fe80::1',
    'febf::1',
  ],
  'of Azure’s own agent': ['168.63.129.16'],
  'of a site': ['fc00::1', 'fd00::1', 'fd00:ec2::254', 'fdff:ffff::1', 'fec0::1'],
  'IPv4 inside IPv6': [
    ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:a9fe:a9fe', '::ffff:93.184.215.14'],
    ...['::127.0.0.1', '::7f00:1', '::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::a00:1'],
    ...['2002:7f00:1::', '2002:a00:1::1', '2002:a9fe:a9fe::1', '2001:0:7f00:1::', '2001::1'],
  ],
  'for documentation and tests': [
    ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '198.19.255.255'],
    ...['2001:db8::1', '3fff::1', '2001:2::1', '2001:10::1', '100::1', '5f00::1'],
  ],
  'for many, or reserved': [
    ...['224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '192.0.0.1', '192.0.0.170', '192.88.99.1'],
    ...['ff02::1', 'ff0e::1', '4000::1', '8000::1'],
  ],
}

/** Names and numbers in a URL that lead to this machine or an internal network. */
const spellings = [
  ...['2130706433', '0x7f000001', '017700000001', '0x7f.0.0.1', '0177.0.0.1', '127.1', '127.0.1', '0', '0x0'],
  ...['2852039166', '0xa9fea9fe', '0251.0376.0251.0376', '169.254.43518', '0xa9.0xfe.0xa9.0xfe', '167772161'],
  ...['127.0.0.1.', '１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', '%31%32%37.0.0.1'],
  ...['[0:0:0:0:0:0:0:1]', '[::0001]', '[::ffff:127.0.0.1]', '[::FFFF:7F00:1]', '[0:0:0:0:0:ffff:169.254.169.254]'],
]

const addresses = Object.values(inside).flat()
const inUrl = (address: string) => (isIP(address) === 6 ? `[${address}]` : address)

/** Makes names resolve to these addresses: to the first list first, and to the last one from then on. */
function resolving(guard: FetchGuard, ...answers: string[][]) {
  const lookUp = jest.fn(async () => (answers.length > 1 ? answers.shift() : answers[0]) ?? [])
  return { ...guard, lookUp }
}

/** Fails unless the fetch is refused before any connection is made. */
async function expectRefused(url: string, guard = outside, why: RegExp = /is not a public address/): Promise<void> {
  const begun = await connectionsBegunBy(() => expect(guardedFetch(new URL(url), guard)).rejects.toThrow(why))
  expect(begun).toBe(0)
}

afterEach(() => jest.restoreAllMocks())

describe('no connection is made to an address', () => {
  describe.each(Object.entries(inside))('that is %s', (_, addresses) => {
    it.each(addresses)('by its address: %s', (address) => expectRefused(`https://${inUrl(address)}/client.json`))

    it.each(addresses)('by a name that resolves to it: %s', async (address) => {
      await expectRefused('https://client.example/client.json', resolving(outside, [address]))
    })
  })

  it.each(spellings)('by another spelling: %s', (host) => expectRefused(`https://${host}/client.json`))

  it.each(['localhost', 'LOCALHOST', 'localhost.', 'ｌｏｃａｌｈｏｓｔ'])('by the name of this machine: %s', (name) =>
    // Not every resolver knows all of these names.
    expectRefused(`https://${name}/client.json`, outside, /is not a public address|ENOTFOUND|has no address/),
  )

  it.each([22, 80, 443, 6379, 8443])('at any port of this machine: %d', (port) =>
    expectRefused(`https://127.0.0.1:${port}/`),
  )

  it('by a name with one address outside and one inside, in either order', async () => {
    for (const answer of [
      ['93.184.215.14', '10.0.0.1'],
      ['10.0.0.1', '93.184.215.14'],
      ['2606:4700::1111', '::1'],
    ]) {
      await expectRefused('https://client.example/client.json', resolving(outside, answer))
    }
  })

  it('by a name without an address', async () => {
    await expectRefused('https://client.example/client.json', resolving(outside, []), /has no address/)
  })

  it('by http', async () => {
    const guard = resolving({ ...outside, ports: [80, 443] }, ['93.184.215.14'])
    await expectRefused('http://client.example/client.json', guard, /http:/)
  })

  it.each([1, 22, 25, 80, 8443, 65_535])('at a port other than 443, even a public address: %d', async (port) => {
    await expectRefused(`https://1.1.1.1:${port}/client.json`, outside, /^Port \d+ is not one of 443$/)
    const guard = resolving(withLoopback, ['1.1.1.1'])
    await expectRefused(`https://client.example:${port}/client.json`, guard, /^Port \d+ is not one of 443$/)
  })

  it('at a port that is not among those that the host allows', async () => {
    const guard = { ...outside, ports: [8443, 9443] }
    await expectRefused('https://1.1.1.1/client.json', guard, /^Port 443 is not one of 8443, 9443$/)
  })

  it('of another machine if only loopback is allowed', async () => {
    for (const address of ['10.0.0.1', '169.254.169.254', '0.0.0.0', 'fd00::1', '::', '64:ff9b::7f00:1']) {
      await expectRefused(`http://${inUrl(address)}/client.json`, withLoopback)
      await expectRefused('http://client.example/client.json', resolving(withLoopback, [address]))
      await expectRefused('http://client.example/client.json', resolving(withLoopback, ['127.0.0.1', address]))
    }
  })
})

describe('a name that changes its address', () => {
  it('between the check and the connection is looked up only once, and the connection goes to the checked address', async () => {
    const server = await DocumentServer.start()
    const { port } = new URL(server.origin)
    const guard = resolving(withLoopback, ['127.0.0.1'], ['10.0.0.1'])
    const begun = await connectionsBegunBy(async () => {
      const { body } = await guardedFetch(new URL(`http://client.example:${port}/client.json`), guard)
      expect(JSON.parse(body)).toMatchObject({ client_name: 'Assistant' })
    })
    expect(begun).toBe(1)
    expect(guard.lookUp).toHaveBeenCalledTimes(1)
    expect(server.requests[0]?.headers.host).toBe(`client.example:${port}`)
  })

  it('between two fetches is checked in each of them, and no connection is reused', async () => {
    const server = await DocumentServer.start()
    const url = `http://client.example:${new URL(server.origin).port}/client.json`
    const guard = resolving(withLoopback, ['127.0.0.1'], ['10.0.0.1'])
    await guardedFetch(new URL(url), guard)
    await expectRefused(url, guard)
  })
})

describe('a public address is connected to', () => {
  // The request goes to a local server, so that no test uses the internet; the test looks at the look-up.
  async function fetchedFrom(url: string, guard: FetchGuard = outside): Promise<https.RequestOptions> {
    const server = await DocumentServer.start()
    let given: https.RequestOptions = {}
    jest.spyOn(https, 'request').mockImplementation(((_: URL, options: https.RequestOptions) => {
      given = options
      return http.request(server.url(), { ...options, lookup: undefined })
    }) as never)
    await guardedFetch(new URL(url), guard)
    return given
  }

  const open = ['93.184.215.14', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '192.167.0.1']
  const openSix = ['2606:4700:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888', '2400:cb00::1']

  it.each([...open, ...openSix])('by itself: %s', async (address) => {
    await expect(fetchedFrom(`https://${inUrl(address)}/client.json`)).resolves.toBeDefined()
  })

  it('at a port that the host allows', async () => {
    const guard = { ...outside, ports: [443, 8443] }
    for (const url of ['https://1.1.1.1:8443/client.json', 'https://1.1.1.1/client.json']) {
      await expect(fetchedFrom(url, guard)).resolves.toBeDefined()
    }
  })

  it('by a name, whether the look-up gives all of its addresses or one', async () => {
    const guard = resolving(outside, ['93.184.215.14', '2606:4700:4700::1111'])
    const { lookup } = await fetchedFrom('https://client.example/client.json', guard)
    const asked = (all: boolean) =>
      new Promise((resolve) => lookup?.('client.example', { all }, (...answer) => resolve(answer)))
    expect(await asked(false)).toEqual([null, '93.184.215.14', 4])
    expect(await asked(true)).toMatchObject([null, [{ address: '93.184.215.14' }, { address: '2606:4700:4700::1111' }]])
  })
})

describe('a document', () => {
  it('may come after interim responses', async () => {
    const server = await DocumentServer.start((self) => async (req, res) => {
      for (let count = 0; count < 3; count++) res.writeEarlyHints({ link: '</style.css>; rel=preload' })
      // They arrive before the response does.
      for (let turn = 0; turn < 20; turn++) await setImmediate()
      publishing(self)(req, res)
    })
    const { status, body } = await guardedFetch(new URL(server.url()), withLoopback)
    expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 200, client_name: 'Assistant' })
  })
})

describe('a client that names an internal address', () => {
  it.each([
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:a9fe:a9fe]/latest',
    'https://168.63.129.16/machine',
  ])('is refused, and learns nothing about that address: %s', async (client_id) => {
    const host = await started({ authenticate: asTheySay })
    const page = expectErrorPage(await new Authorization(host, { client_id }).open())
    expect(page).not.toMatch(/public|address|169|127|resolve/)
    const [denied] = await host.told('denied')
    expect(denied?.detail).toMatchObject({ clientId: client_id, reason: expect.stringMatching(/not a public address/) })
  })

  it('is tested with a long table of addresses', () =>
    expect(new Set([...addresses, ...spellings]).size).toBeGreaterThan(80))
})
