import { deflateRawSync } from 'node:zlib'
import type { Client } from 'customer-sign-in'
import { presentableName, strangerFault } from '../../../src/clients/client-metadata'
import { Registrations } from '../../../src/clients/registrations'
import { keySetFault } from '../../../src/protocol/json-web-keys'
import { OAuthError } from '../../../src/protocol/oauth-error'
import { redirectHostOf } from '../../../src/protocol/redirect-uri'
import {
  type CarriedRegistration,
  isClientId,
  maxRegisteredIdLength,
  newRegisteredId,
  registrationIn,
  shownId,
} from '../../../src/protocol/registered-id'
import { clientKey } from '../../support/confidential-clients'
import { type Crafted, craftedId } from '../../support/crafted-id'
import { SeededRandom } from '../../support/seeded-random'
import { redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const one: CarriedRegistration = { redirectUris: [redirectUri], hasSecret: false, provesKey: false }
const cursor = [
  'cursor://anysphere.cursor-mcp/oauth/callback',
  'https://www.cursor.com/agents/mcp/oauth/callback',
  'http://localhost:8787/callback',
]
const registrations: CarriedRegistration[] = [
  one,
  { ...one, clientName: 'Zoë 中 😀', clientHost: 'assistant.example:8443' },
  { ...one, redirectUris: cursor, clientName: 'Cursor' },
  { ...one, hasSecret: true, clientName: 'With a secret' },
  { ...one, jwksUri: 'https://keys.example/jwks' },
  { ...one, provesKey: true, hasSecret: true },
  { ...one, clientName: 'With a key', jwks: { keys: [clientKey().jwk] } },
  { ...one, redirectUris: Array.from({ length: 20 }, (_, n) => `${redirectUri}/${n}`) },
]

describe('the id of a client that registers itself', () => {
  it.each(registrations)('carries its registration: %j', (registration) => {
    const id = newRegisteredId(registration) ?? ''
    expect(registrationIn(id)).toEqual(registration)
    expect(id).toMatch(/^dcr_[\w-]+$/)
  })

  it.each(registrations)('is a new one each time, also for %j', (registration) => {
    expect(new Set(Array.from({ length: 20 }, () => newRegisteredId(registration))).size).toBe(20)
  })

  it('names an address once', () => {
    const id = newRegisteredId({ ...one, redirectUris: [redirectUri, redirectUri] }) ?? ''
    expect(registrationIn(id)).toEqual(one)
  })

  it(`has at most ${maxRegisteredIdLength} characters`, () => {
    const keys = (count: number) => ({ ...one, jwks: { keys: Array.from({ length: count }, () => clientKey().jwk) } })
    expect(newRegisteredId(keys(3))?.length).toBeLessThanOrEqual(1024)
    expect(newRegisteredId(keys(9))).toBeUndefined()
    const repeated = {
      ...one,
      redirectUris: Array.from({ length: 20 }, (_, n) => `${redirectUri}/${'x'.repeat(250)}${n}`),
    }
    expect(newRegisteredId(repeated)).toBeUndefined()
    const written = (length: number) => craftedId({ text: redirectUri.padEnd(length, 'x') })
    expect(written(758)).toHaveLength(1024)
    expect(registrationIn(written(758))).toBeDefined()
    expect(registrationIn(written(759))).toBeUndefined()
  })

  it('is read however its registration was compressed, because versions of Node differ in that', () => {
    const text = `${cursor.join(' ')}\nCursor`
    for (const level of [1, 5, 9]) {
      for (const memLevel of [1, 9]) {
        const body = deflateRawSync(text, { level, memLevel })
        const id = `dcr_${Buffer.concat([Buffer.from([0x11]), Buffer.alloc(6), body]).toString('base64url')}`
        expect(registrationIn(id)).toMatchObject({ redirectUris: cursor, clientName: 'Cursor' })
      }
    }
  })

  it('is shortened on a page', () => {
    expect(shownId(newRegisteredId(one) ?? '')).toMatch(/^dcr_[\w-]{10}…$/)
    expect(shownId('assistant-app')).toBe('assistant-app')
  })

  const keysOf = (length: number) => Array.from({ length }, (_, n) => ({ ...clientKey().jwk, kid: String(n) }))
  const bytesOf = (id: string) => Buffer.from(id.slice(4), 'base64url')
  const idOf = (bytes: Buffer) => `dcr_${bytes.toString('base64url')}`
  const compressed = newRegisteredId(registrations.at(-1) as CarriedRegistration) ?? ''
  const plain = craftedId({ text: redirectUri })

  it.each<[what: string, id: string]>([
    ['nothing', ''],
    ['the beginning alone', 'dcr_'],
    ['no registration', craftedId({ text: '' })],
    ['only a version', idOf(Buffer.from([0x10]))],
    ['version 0', craftedId({ text: redirectUri, header: 0x00 })],
    ['version 2', craftedId({ text: redirectUri, header: 0x20 })],
    ['a flag of a later version', craftedId({ text: redirectUri, header: 0x18 })],
    ['the last version', craftedId({ text: redirectUri, header: 0x50 })],
    ['another beginning', plain.replace('dcr_', 'DCR_')],
    ['a space behind it', `${plain} `],
    ['padding', `${plain}=`],
    ['a character of plain base64', plain.replace(/.$/, '+')],
    ['a line break', `${plain.slice(0, 20)}\n${plain.slice(20)}`],
    ['bits that no byte needs', plain.replace(/.$/, (last) => String.fromCharCode(last.charCodeAt(0) + 1))],
    ['something behind the compressed text', idOf(Buffer.concat([bytesOf(compressed), Buffer.from([0])]))],
    ['half of the compressed text', idOf(bytesOf(compressed).subarray(0, 40))],
    ['a wrong compressed text', idOf(Buffer.concat([bytesOf(compressed).subarray(0, 7), Buffer.alloc(60, 255)]))],
    [
      'the header of zlib',
      idOf(Buffer.concat([Buffer.from([0x11]), Buffer.alloc(6), Buffer.from([0x78, 0x9c, 3, 0])])),
    ],
    ['a bomb', craftedId({ text: `${redirectUri}\n${'x'.repeat(500_000)}`, header: 0x11 })],
    ['bytes that are no UTF-8', craftedId({ text: Buffer.from([...Buffer.from(redirectUri), 10, 0xc3, 0x28]) })],
    ['a byte order mark', craftedId({ text: `\ufeff${redirectUri}\n\n\n{` })],
    ['a secret and keys', craftedId({ text: `${redirectUri}\n\n\nhttps://keys.example/`, header: 0x12 })],
    ['21 redirect URIs', craftedId({ text: Array.from({ length: 21 }, (_, n) => `a:${n}`).join(' ') })],
    ['21 keys', craftedId({ text: `${redirectUri}\n\n\n${JSON.stringify({ keys: keysOf(21) })}`, header: 0x11 })],
    ['a key with lists in a list', craftedId({ text: `${redirectUri}\n\n\n{"keys":[{"kty":[[[]]]}]}` })],
    ['an id in the id', craftedId({ text: plain.repeat(8) })],
  ])('carries nothing if it has %s', (what, id) => {
    const carried = registrationIn(id)
    // It is one word, and no address.
    if (what === 'an id in the id') expect(carried?.redirectUris.filter((uri) => URL.canParse(uri))).toEqual([])
    else expect(carried).toBeUndefined()
  })
})

describe('6,000 ids in which something was changed', () => {
  const random = new SeededRandom(26)
  const ids = registrations.map((registration) => newRegisteredId(registration) ?? '') as [string, ...string[]]
  const bytesOf = (id: string) => Buffer.from(id.slice(4), 'base64url')
  const idOf = (bytes: Buffer) => `dcr_${bytes.toString('base64url')}`
  const hostile = [
    'javascript:alert(1)',
    'http://evil.example/',
    'https://evil.example/#',
    'https://user@evil.example/',
    'data:text/html,x',
    '__proto__',
    'constructor',
    '\u202e',
    '\0',
    '{"keys":[{}]}',
    '{"__proto__":{"keys":[]}}',
    '[['.repeat(200),
    'https://evil.example/cb',
    'https://blocked.example/cb',
    'https://sign-in.example/cb',
  ] as const
  const changes: readonly [(id: string) => string, ...((id: string) => string)[]] = [
    (id) => id.slice(0, random.below(id.length)),
    (id) => {
      const bytes = bytesOf(id)
      const at = random.below(bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
      return idOf(bytes)
    },
    (id) => {
      const [at, other] = [random.below(id.length), random.pick(ids)]
      return id.slice(0, at) + other.slice(random.below(other.length))
    },
    (id) => idOf(Buffer.concat([bytesOf(id), Buffer.from(random.pick(hostile))])),
    (id) => idOf(Buffer.concat([bytesOf(id).subarray(0, 7), bytesOf(random.pick(ids))])),
    (id) => id.repeat(1 + random.below(6)),
    () => idOf(Buffer.from(Array.from({ length: random.below(600) }, () => random.below(256)))),
    () => craftedId(craftedForm()),
  ]
  const craftedForm = (): Crafted => {
    const words = Array.from({ length: random.below(6) }, () => random.pick([...hostile, ...cursor, redirectUri]))
    const text = words.map((word) => word + random.pick([' ', '\n', ' ', '\n\n', ''])).join('')
    const bomb = random.below(20) === 0 ? 'x'.repeat(random.below(200_000)) : ''
    return { text: text + bomb, header: random.pick([0x10, 0x11, 0x12, 0x13]) }
  }

  it('are no client that the rules refuse, and no fault of the server', () => {
    const authentication = { methods: ['none', 'private_key_jwt', 'client_secret_post'], allowLoopback: false } as const
    const appRedirects = ['cursor://anysphere.cursor-mcp/oauth/']
    const found = new Registrations({ appRedirects, authentication }, [Buffer.alloc(32)], Date.now)
    const ownAddresses = ['https://sign-in.example']
    const clientRules = { allowed: undefined, blocked: [{ redirectHosts: ['blocked.example'] }] }
    const policy = { scopes: [], registeredClients: true, clientRules }
    const tenant = { id: 'acme', address: { ownAddresses }, policy } as never
    const clients: Client[] = []
    for (let count = 0; count < 6000; count++) {
      try {
        clients.push(found.find(random.pick(changes)(random.pick(ids)), tenant))
      } catch (error) {
        if (!(error instanceof OAuthError) || error.status >= 500) throw error
      }
    }
    expect(clients.length).toBeGreaterThan(250)
    for (const { redirectUris, clientName, clientUri, jwks } of clients) {
      const faults = redirectUris.map((uri) => strangerFault(uri, appRedirects, ownAddresses))
      expect([redirectUris, faults]).toEqual([redirectUris, Array(redirectUris.length).fill(undefined)])
      expect(redirectUris.some((uri) => redirectHostOf(uri) === 'blocked.example')).toBe(false)
      if (clientName !== undefined) expect(presentableName(clientName)).toBe(clientName)
      if (clientUri !== undefined) expect(new URL(clientUri).protocol).toBe('https:')
      if (jwks !== undefined) expect(keySetFault(jwks)).toBeUndefined()
    }
  })

  it('get no 5xx from any endpoint', async () => {
    const host = await started({ clients: { authentication: ['none', 'private_key_jwt', 'client_secret_post'] } })
    for (let count = 0; count < 100; count++) {
      const client_id = random.pick(changes)(random.pick(ids))
      const query = new URLSearchParams({ client_id, redirect_uri: redirectUri, response_type: 'code' })
      const answers = [
        await fetch(`${host.issuer()}/authorize?${query}`, { redirect: 'manual' }),
        await host.refresh(`csir_${'A'.repeat(84)}`, { client_id, client_secret: `csis_${'A'.repeat(43)}` }),
        await host.revoke({ client_id, token: 'any' }),
      ]
      for (const { status } of answers) expect(status).toBeLessThan(500)
    }
    expect(await host.told('error')).toEqual([])
  })
})

describe('a client id', () => {
  it.each(['a', ' ', '~', 'my app!', 'https://assistant.example/client.json', 'x'.repeat(2048)])(
    'can be %j',
    (text) => {
      expect(isClientId(text)).toBe(true)
    },
  )

  it.each(['', 'a\n', '\na', 'a\tb', 'ä', 'a\x7F', '\x1F', 'x'.repeat(2049)])('cannot be %j', (text) => {
    expect(isClientId(text)).toBe(false)
  })
})
