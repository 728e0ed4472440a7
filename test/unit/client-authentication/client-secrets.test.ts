import { type Client, MemoryTenantStore, newClientSecret } from 'customer-sign-in'
import { basic } from '../../support/confidential-clients'
import { clientId, expectError, expectTokens, redirectUri, tenants } from '../../support/sign-in'
import { started } from '../../support/started'

const [own, next, other] = [newClientSecret(), newClientSecret(), newClientSecret()]
const bothMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const

const tenantStoreWith = (client: Partial<Client>) =>
  new MemoryTenantStore([
    { key: 'acme', id: 'acme', clients: [{ clientId, redirectUris: [redirectUri], ...client }] },
    {
      key: 'globex',
      id: 'globex',
      clients: [
        { clientId, redirectUris: [redirectUri], secretHashes: [other.hash] },
        { clientId: 'other-app', redirectUris: [redirectUri], secretHashes: [other.hash] },
      ],
    },
  ])

const startedWith = (
  client: Partial<Client> = { secretHashes: [own.hash] },
  methods: typeof bothMethods | string[] = bothMethods,
) => started({ tenantStore: tenantStoreWith(client), clients: { authentication: methods as never } })

describe('a client with a secret', () => {
  it('authenticates by HTTP Basic', async () => {
    const host = await startedWith()
    const authorization = basic(clientId, own.secret)
    const exchange = host.exchange(await host.asCustomer(), { client_id: undefined })
    const { refresh_token } = expectTokens(await exchange.set('Authorization', authorization))
    expectTokens(await host.refresh(refresh_token).set('Authorization', authorization))
  })

  it('authenticates by client_secret in the form', async () => {
    const host = await startedWith()
    const { refresh_token } = expectTokens(await host.exchange(await host.asCustomer(), { client_secret: own.secret }))
    expectTokens(await host.refresh(refresh_token, { client_secret: own.secret }))
  })

  it('may change between the two, because some clients use another one than they say', async () => {
    const host = await startedWith()
    const { refresh_token } = expectTokens(await host.exchange(await host.asCustomer(), { client_secret: own.secret }))
    expectTokens(await host.refresh(refresh_token).set('Authorization', basic(clientId, own.secret)))
  })

  it('can have two secrets while one replaces the other', async () => {
    const host = await startedWith({ secretHashes: [own.hash, next.hash] })
    const { refresh_token } = expectTokens(await host.exchange(await host.asCustomer(), { client_secret: own.secret }))
    expectTokens(await host.refresh(refresh_token, { client_secret: next.secret }))
  })

  it.each([
    ['another secret', other.secret],
    ['the hash of its secret', own.hash],
    ['the prefix and the hash', `csis_${own.hash}`],
    ['a part of its secret', own.secret.slice(0, -1)],
    ['its secret with one character more', `${own.secret}A`],
    ['its secret with a space', ` ${own.secret}`],
  ])('is refused with %s, and nothing is used up', async (_, client_secret) => {
    const host = await startedWith()
    const signedIn = await host.asCustomer()
    const inForm = await host.exchange(signedIn, { client_secret })
    expect(expectError(inForm, 401, 'invalid_client')).toBe('The client_secret is not valid')
    const inHeader = await host.exchange(signedIn).set('Authorization', basic(clientId, client_secret))
    expectError(inHeader, 401, 'invalid_client')
    expect(inHeader.headers['www-authenticate']).toMatch(/^Basic realm="[^"]+"$/)
    const { refresh_token } = expectTokens(await host.exchange(signedIn, { client_secret: own.secret }))
    expectError(await host.refresh(refresh_token, { client_secret }), 401, 'invalid_client')
    expectTokens(await host.refresh(refresh_token, { client_secret: own.secret }))
    expect((await host.told('denied')).map(({ reason }) => reason)).toEqual(Array(3).fill('authentication_failed'))
  })

  it('is refused with the secret of a client of the same name at another tenant', async () => {
    const host = await startedWith()
    const signedIn = await host.asCustomer({ tenantKey: 'globex' })
    expectError(await host.exchange(signedIn, { client_secret: own.secret }), 401, 'invalid_client')
    expectTokens(await host.exchange(signedIn, { client_secret: other.secret }))
  })

  it('cannot redeem a code of another client with a secret of its own', async () => {
    const host = await startedWith()
    const signedIn = await host.asCustomer({ tenantKey: 'globex' })
    const fields = { client_id: 'other-app', client_secret: other.secret }
    expect(expectError(await host.exchange(signedIn, fields), 400, 'invalid_grant')).toMatch(/issued to another client/)
    expectTokens(await host.exchange(signedIn, { client_secret: other.secret }))
  })

  it('is told that it must authenticate, before anything else is looked at', async () => {
    const host = await startedWith()
    const response = await host.token('acme', { client_id: clientId, grant_type: 'refresh_token' })
    expect(expectError(response, 401, 'invalid_client')).toBe('The client must authenticate')
    expect(await host.told('denied')).toMatchObject([{ reason: 'not_authenticated', detail: { clientId } }])
  })

  it('must not authenticate in two ways at once', async () => {
    const host = await startedWith()
    const signedIn = await host.asCustomer()
    const both = host.exchange(signedIn, { client_secret: own.secret })
    expectError(await both.set('Authorization', basic(clientId, own.secret)), 400, 'invalid_request')
    expectTokens(await host.exchange(signedIn, { client_secret: own.secret }))
  })

  it('is refused by a method that is off', async () => {
    const host = await startedWith(undefined, ['none', 'client_secret_basic'])
    const signedIn = await host.asCustomer()
    expectError(await host.exchange(signedIn, { client_secret: own.secret }), 401, 'invalid_client')
    expectTokens(await host.exchange(signedIn).set('Authorization', basic(clientId, own.secret)))
  })

  it('cannot sign customers in where all of its methods are off, and the error names the option', async () => {
    const host = await startedWith(undefined, ['none'])
    const description =
      'The option clients.authentication has no method of this client: client_secret_basic, client_secret_post'
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'invalid_client', description })
    const response = await host.refresh('csir_', { client_secret: own.secret })
    expect(expectError(response, 401, 'invalid_client')).toBe(description)
    expect(await host.told('denied')).toMatchObject([{ reason: 'method_off' }])
  })
})

describe('a public client', () => {
  it('works as before where others authenticate', async () => {
    const host = await startedWith({})
    const { refresh_token } = await host.connected()
    expectTokens(await host.refresh(refresh_token))
    const named = host.refresh(refresh_token, { client_id: undefined })
    expectError(await named.set('Authorization', basic(clientId, '')), 400, 'invalid_grant')
  })

  it('is refused if it presents a secret, because it has none', async () => {
    const host = await startedWith({})
    const signedIn = await host.asCustomer()
    const description = expectError(await host.exchange(signedIn, { client_secret: own.secret }), 401, 'invalid_client')
    expect(description).toBe('The client does not authenticate by client_secret_post')
    expectTokens(await host.exchange(signedIn))
  })

  it('may send a secret where no client can have one', async () => {
    const host = await started()
    expectTokens(await host.exchange(await host.asCustomer(), { client_secret: 'anything', client_assertion: 'x' }))
  })

  it('cannot connect where none is not among the methods', async () => {
    const host = await startedWith({}, ['client_secret_basic'])
    await expect(host.asCustomer()).rejects.toMatchObject({ code: 'invalid_client' })
    expectError(await host.refresh('csir_'), 401, 'invalid_client')
  })
})

describe('the record of a client with a secret', () => {
  it.each([
    ['no hash', []],
    ['six hashes', Array.from({ length: 6 }, () => newClientSecret().hash)],
    ['the same hash twice', [own.hash, own.hash]],
    ['a secret in place of its hash', [own.secret]],
    ['a password', ['hunter2']],
  ])('is refused if it has %s, and the error does not quote it', async (_, secretHashes) => {
    const host = await startedWith({ secretHashes })
    expectError(await host.refresh('csir_'), 500, 'server_error')
    const [{ error } = { error: undefined }] = await host.told('error')
    expect(error?.message).toContain('tenant.clients[0].secretHashes')
    for (const text of [own.secret, 'hunter2']) expect(error?.message).not.toContain(text)
  })

  it('may be null, as a database says it', async () => {
    const host = await startedWith({ secretHashes: null, jwks: null, jwksUri: null } as never)
    await host.connected()
  })
})

it('the tests’ own tenants have public clients only', () => {
  expect(JSON.stringify(tenants)).not.toMatch(/secret|jwks/)
})
