import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import type { Client, Tenant } from 'customer-sign-in'
import { impliedScopesOf } from '../../../src/protocol/scope'
import { ProtectedResources } from '../../../src/tenants/protected-resources'
import type { TenantDefaults } from '../../../src/tenants/resolved-tenant'
import { Tenants } from '../../../src/tenants/tenants'

const shared = 'https://app.example'

const defaults: TenantDefaults = {
  scopes: ['profile'],
  implied: impliedScopesOf({}),
  lifetimes: { accessToken: 3_600_000, refreshToken: 86_400_000, authorizationCode: 60_000, grant: undefined },
  registration: true,
  registeredClients: true,
  metadataDocuments: true,
  clientRules: { allowed: undefined, blocked: [] },
  askConsent: 'always',
  theme: {},
  links: {},
}

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

function row() {
  const jwk = { ...(publicKey.export({ format: 'jwk' }) as JsonWebKey), key_ops: ['verify'] }
  return {
    key: 'acme',
    scopes: ['profile'],
    theme: { light: { text: '#000000' } },
    links: {},
    blockedClients: { clientIds: ['blocked'] },
    clients: [{ clientId: 'assistant', redirectUris: ['https://assistant.example/cb'], jwks: { keys: [jwk] } }],
  }
}

/** A directory whose record can be replaced, and the tenant that comes of it. */
function directory(record: Tenant) {
  const resources = new ProtectedResources(false)
  const holder = { record }
  const tenants = new Tenants({ findTenant: () => holder.record }, () => defaults, resources, 1000)
  return { holder, resources, find: (baseUrl = shared) => tenants.find('acme', baseUrl) }
}

describe('a record that says the same as before', () => {
  it('is resolved once, whether it is the same object or a new one from a database', async () => {
    const { holder, find } = directory(row())
    const first = await find()
    const same = await find()
    holder.record = row()
    const fresh = await find()
    for (const part of ['address', 'policy', 'look'] as const) {
      expect(same[part]).toBe(first[part])
      expect(fresh[part]).toBe(first[part])
    }
  })

  it('is given to hooks as the store has just given it, with members of the host’s own', async () => {
    const { holder, find } = directory(Object.assign(row(), { plan: 'free' }))
    await find()
    holder.record = Object.assign(row(), { plan: 'gold' })
    expect((await find()).record).toBe(holder.record)
  })

  it('gives what no request can change for another', async () => {
    const { holder, find } = directory(row())
    const { policy, look } = await find()
    expect(() => (policy.clients[0] as Client).redirectUris.push('https://other.example')).toThrow(TypeError)
    expect(() => Object.assign(look.theme, { radius: 3 })).toThrow(TypeError)
    const { clients } = holder.record as Row
    // The host's objects are its own.
    clients[0]?.redirectUris.push('https://other.example')
    expect((await find()).policy.clients[0]?.redirectUris).toHaveLength(2)
  })
})

type Row = ReturnType<typeof row>

describe('a record that has changed', () => {
  it.each<[string, (record: Row) => void]>([
    ['a rule that was pushed into the same list', ({ blockedClients }) => blockedClients.clientIds.push('assistant')],
    ['a scope in place of another', ({ scopes }) => scopes.splice(0, 1, 'email')],
    ['a shorter list', ({ scopes }) => scopes.pop()],
    ['a member more', (record) => Object.assign(record, { askConsent: 'once' })],
    ['a member less', (record) => Reflect.deleteProperty(record, 'theme')],
    ['a member more deep inside', ({ theme }) => Object.assign(theme.light, { card: '#ffffff' })],
    ['another member deep inside', ({ clients }) => Object.assign(clients[0]?.jwks?.keys[0] ?? {}, { kid: 'new' })],
    ['a longer list deep inside', ({ clients }) => clients[0]?.redirectUris.push('https://b.example')],
    ['null in place of an object', (record) => Object.assign(record, { theme: null })],
    ['a list in place of an object', (record) => Object.assign(record, { scopes: ['profile', 'email'] })],
  ])('is resolved again: %s', async (_, change) => {
    const { holder, find } = directory(row())
    const before = await find()
    change(holder.record as Row)
    const after = await find()
    expect({ ...after.policy, ...after.look }).not.toEqual({ ...before.policy, ...before.look })
  })

  it.each<[string, (record: Row) => void]>([
    ['a wrong value', ({ scopes }) => scopes.push('not one')],
    ['an object in place of a list', (record) => Object.assign(record, { scopes: { 0: 'profile' } })],
    ['a list in place of an object', (record) => Object.assign(record, { theme: [] })],
    ['a member whose name is misspelt', (record) => Object.assign(record, { blockedClient: {} })],
    ['a misspelt member deep inside', ({ clients }) => Object.assign(clients[0] as Client, { redirectUri: 'x' })],
    ['one member for another deep inside', ({ theme }) => ((theme as { light: object }).light = { txt: '#000000' })],
  ])('is refused at once for %s', async (_, change) => {
    const { holder, find } = directory(row())
    await find()
    change(holder.record as Row)
    await expect(find()).rejects.toMatchObject({ code: 'server_error' })
  })

  it('is refused each time, and accepted once it is put right', async () => {
    const { holder, find } = directory({ key: 'acme', scopes: ['not one'] })
    for (let time = 0; time < 2; time++) await expect(find()).rejects.toMatchObject({ code: 'server_error' })
    holder.record = row()
    await find()
  })
})

describe('a record with objects of classes, as from an ORM', () => {
  class TenantModel {
    key = 'acme'
    #scopes = ['profile']
    get scopes() {
      return this.#scopes
    }
    set(scopes: string[]) {
      this.#scopes = scopes
    }
  }

  class RuleModel {
    #ids = ['blocked']
    get clientIds() {
      return this.#ids
    }
    block(id: string) {
      this.#ids.push(id)
    }
  }

  it('is resolved again when one of its getters says something else', async () => {
    const model = new TenantModel()
    const { find } = directory(model)
    expect((await find()).policy.scopes).toEqual(['profile'])
    expect((await find()).policy).toBe((await find()).policy)
    model.set(['email'])
    expect((await find()).policy.scopes).toEqual(['email'])
  })

  it('is resolved for each request if one of them is inside, because nobody sees what it says', async () => {
    const blockedClients = new RuleModel()
    const { find } = directory({ key: 'acme', blockedClients })
    await find()
    blockedClients.block('assistant')
    expect((await find()).policy.clientRules.blocked[0]?.clientIds).toEqual(['blocked', 'assistant'])
  })

  it('is resolved again when one of them takes the place of plain data that looked the same', async () => {
    class Rule {
      get clientIds() {
        return ['assistant']
      }
    }
    const { holder, find } = directory({ key: 'acme', blockedClients: {} })
    await find()
    holder.record = { key: 'acme', blockedClients: new Rule() }
    expect((await find()).policy.clientRules.blocked[0]?.clientIds).toEqual(['assistant'])
  })

  it('does not follow a circle in members that this library reads', async () => {
    const theme: Record<string, unknown> = {}
    theme.light = theme
    await expect(directory({ key: 'acme', theme }).find()).rejects.toMatchObject({ code: 'server_error' })
  })
})

describe('a record that nobody can compare, or keep', () => {
  it('is resolved for each request if it inherits what it says', async () => {
    const rule = Object.create(Object.assign(Object.create(null), { clientIds: ['evil'] }))
    const { find } = directory({ key: 'acme', blockedClients: rule })
    expect((await find()).policy.clientRules.blocked[0]?.clientIds).toEqual(['evil'])
    Object.getPrototypeOf(rule).clientIds = ['worse']
    expect((await find()).policy.clientRules.blocked[0]?.clientIds).toEqual(['worse'])
  })

  it('is resolved for each request if it hides what it says', async () => {
    const clientIds = ['evil']
    const { find } = directory({
      key: 'acme',
      blockedClients: Object.defineProperty({}, 'clientIds', { value: clientIds }),
    })
    await find()
    clientIds.push('worse')
    expect((await find()).policy.clientRules.blocked[0]?.clientIds).toEqual(['evil', 'worse'])
  })

  it('is resolved for each request if it is large, so that logos do not fill the memory', async () => {
    const of = async (length: number) => {
      const { find } = directory({ key: 'acme', logoUri: `data:image/png;base64,${'A'.repeat(length)}` })
      const { look } = await find()
      return look === (await find()).look
    }
    expect([await of(10_000), await of(100_000)]).toEqual([true, false])
  })

  it('is refused if it has a number of a kind that no record can have', async () => {
    const policy = { key: 'acme', accessTokenLifetime: 60n } as object as Tenant
    await expect(directory(policy).find()).rejects.toMatchObject({ code: 'server_error', reason: 'misconfigured' })
  })
})

describe('the tenants that stay resolved', () => {
  it('are those that were asked for last, up to a number that does not fill the memory', async () => {
    const defaultsAlone = new ProtectedResources(false)
    const tenants = new Tenants({ findTenant: (key) => ({ key }) }, () => defaults, defaultsAlone, 1000)
    const { policy } = await tenants.find('first', shared)
    for (let count = 0; count < 4000; count++) await tenants.find(`other-${count}`, shared)
    expect((await tenants.find('first', shared)).policy).toBe(policy)
    for (let count = 0; count < 10_000; count++) await tenants.find(`other-${count}`, shared)
    expect((await tenants.find('first', shared)).policy).not.toBe(policy)
  })
})

describe('what a tenant has beside its record', () => {
  it('is resolved again when an API is announced later', async () => {
    const { resources, find } = directory({ key: 'acme' })
    expect((await find()).address.resources).toEqual([`${shared}/v1/acme/oauth`])
    resources.announce('/v1/:tenantKey/mcp', [], [])
    expect((await find()).address.resources).toContain(`${shared}/v1/acme/mcp`)
  })

  it('is that of the address of each request, where there is no baseUrl', async () => {
    const { find } = directory({ key: 'acme' })
    for (const baseUrl of ['https://a.example', 'https://b.example', 'https://a.example']) {
      expect((await find(baseUrl)).address.issuer).toBe(`${baseUrl}/v1/acme/oauth`)
    }
  })
})
