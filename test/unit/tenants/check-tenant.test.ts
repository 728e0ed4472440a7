import { checkTenant, MemoryTenantStore, type Tenant } from 'customer-sign-in'
import request from 'supertest'
import { clientId, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const client = { clientId, redirectUris: [redirectUri] }

/** The record as a form gives it, which no compiler has seen. */
const check = (members: object) => checkTenant({ key: 'acme', ...members } as Tenant)

/** Whether a host serves a company with this record. */
async function isServed(members: object): Promise<boolean> {
  const record = { key: 'acme', ...members } as Tenant
  const host = await started({ tenantStore: new MemoryTenantStore([record]) })
  const { status } = await request(host.url).get('/.well-known/oauth-authorization-server/v1/acme/oauth')
  return status === 200
}

describe('checkTenant', () => {
  it.each([
    [{}],
    [{ id: 'company-1', name: 'Acme Air', clients: [client], scopes: ['profile'], registration: false }],
    [{ name: null, clients: null, allowedClients: null, blockedClients: { clientIds: null } }],
    [{ allowedClients: { documentHosts: ['claude.ai'], redirectHosts: ['localhost', 'cursor:'] } }],
    [{ plan: 'gold', signInEnabled: true }],
  ])('finds no problem with a record that serves its customers: %j', async (members) => {
    expect(check(members)).toEqual([])
    expect(await isServed(members)).toBe(true)
  })

  it.each<[members: object, member: string, problem: string]>([
    [{ registration: 'yes' }, 'registration', 'must be true or false, but is "yes"'],
    [{ id: null }, 'id', 'must be a string that is not empty and does not begin with key:, or omitted, but is null'],
    [
      { id: '😀'.slice(1) },
      'id',
      'has half of a surrogate pair: take care not to cut a text in the middle of a character',
    ],
    [{ accessTokenLifetime: 0 }, 'accessTokenLifetime', 'must be a whole number of seconds from 1 to 3600, but is 0'],
    [{ clients: [client, client] }, 'clients[1].clientId', 'is "assistant-app", which another client has already'],
    [{ clients: [{ clientId }] }, 'clients[0].redirectUris', 'is missing: it must be an array'],
    [
      { blockedClients: { redirectHosts: ['https://evil.example/'] } },
      'blockedClients.redirectHosts[0]',
      'must be a host in lower case, such as claude.ai; localhost for every loopback address; or the scheme of an app with its colon, such as cursor:, but is "https://evil.example/"',
    ],
  ])('says of %j what a host would say', async (members, member, problem) => {
    expect(check(members)).toEqual([{ member, problem }])
    expect(await isServed(members)).toBe(false)
  })

  it('finds a member whose name is probably misspelt', async () => {
    const [problem, ...others] = check({ logo_uri: 'https://acme.example/logo.png' })
    expect(others).toEqual([])
    expect(problem?.member).toBe('logo_uri')
    expect(problem?.problem).toMatch(/^is not a member of tenant\. Did you mean logoUri\? The members are key, id, /)
  })

  it('checks both logos as it does the one', () => {
    const problem = 'must be an https or data URL of an image, but is "logo.png"'
    expect(check({ logoUri: { light: 'https://acme.example/logo.png', dark: 'logo.png' } })).toEqual([
      { member: 'logoUri.dark', problem },
    ])
    expect(check({ logoUri: 'logo.png' })).toEqual([{ member: 'logoUri', problem }])
    expect(check({ logoUri: { light: 'https://acme.example/logo.png' } })).toMatchObject([{ member: 'logoUri.dark' }])
  })

  it('finds every member that is wrong, at once', () => {
    const members = check({ key: 'a/b', name: '', scopes: ['two words'], logo_uri: '' }).map(({ member }) => member)
    expect(members).toEqual(['key', 'name', 'scopes[0]', 'logo_uri'])
  })

  it.each(['', 'a b', '..', 'a'.repeat(65), undefined, null, 7])(
    'refuses %p as a key, which nobody could ask for',
    (key) => {
      expect(checkTenant({ key } as Tenant)).toEqual([
        { member: 'key', problem: expect.stringContaining('A-Z a-z 0-9') },
      ])
    },
  )

  it.each([undefined, null, 'acme', [{ key: 'acme' }]])('says that %j is no record', (record) => {
    expect(checkTenant(record as unknown as Tenant)).toEqual([
      { member: '', problem: expect.stringContaining('must be an object') },
    ])
  })

  it('does not hide a fault of the record’s own code', () => {
    const record = {
      key: 'acme',
      get name(): string {
        throw new RangeError('The database is away')
      },
    }
    expect(() => checkTenant(record)).toThrow(RangeError)
  })
})
