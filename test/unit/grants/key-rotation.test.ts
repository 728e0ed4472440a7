import { generateKeyPairSync } from 'node:crypto'
import { type CustomerSignInOptions, MemoryTokenStore, type Tenant } from 'customer-sign-in'
import { releaseClock, stopClock } from '../../support/clock'
import { recordsOf } from '../../support/records'
import { expectError, expectTokens, tenants } from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'

type Keys = Pick<CustomerSignInOptions, 'keys'>

const [acme] = tenants as [Tenant]
const secret = (name: string) => name.padEnd(32, '0123456789')
const signingKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const [oldKey, newKey] = [signingKey(), signingKey()]

// The steps of a key rotation: the old key only, both with the new one first, the new one only.
const rotations: [string, Record<'before' | 'during' | 'after', Keys>][] = [
  [
    'credentialSecrets',
    {
      before: { keys: { credentialSecrets: [secret('old')] } },
      during: { keys: { credentialSecrets: [secret('new'), secret('old')] } },
      after: { keys: { credentialSecrets: [secret('new')] } },
    },
  ],
  [
    'keys.signing, which credentials are derived from by default',
    {
      before: { keys: { signing: [oldKey] } },
      during: { keys: { signing: [newKey, oldKey] } },
      after: { keys: { signing: [newKey] } },
    },
  ],
]

afterEach(releaseClock)

describe.each(rotations)('rotating %s', (_, { before, during, after }) => {
  /** One server for each step of the rotation, over one store and at one address. */
  async function servers(options: TestOptions = {}) {
    const shared = { ...options, tokenStore: new MemoryTokenStore(), baseUrl: 'https://assistant.example' }
    return {
      tokenStore: shared.tokenStore,
      old: await started({ ...shared, ...before }),
      both: await started({ ...shared, ...during }),
      latest: await started({ ...shared, ...after }),
    }
  }

  it('keeps every credential redeemable: codes and refresh tokens from before, during and after it', async () => {
    const { old, both, latest } = await servers()
    const signedIn = await old.asCustomer()
    const first = expectTokens(await both.exchange(signedIn))
    const second = expectTokens(await old.refresh(first.refresh_token))
    const third = expectTokens(await both.refresh(second.refresh_token))
    const fourth = expectTokens(await latest.refresh(third.refresh_token))
    expectTokens(await latest.refresh(fourth.refresh_token))
  })

  it('redeems a live credential of the old key after that key was dropped', async () => {
    const { old, latest } = await servers()
    const { refresh_token } = await old.connected()
    expectTokens(await latest.refresh(refresh_token))
    expectTokens(await latest.exchange(await old.asCustomer()))
  })

  it('still finds a replay of a credential of the old key, as long as that key is recognised', async () => {
    const { old, both, tokenStore } = await servers({ replayTolerance: 0 })
    const signedIn = await old.asCustomer()
    const first = expectTokens(await old.exchange(signedIn))
    expectTokens(await both.refresh(first.refresh_token))
    expectError(await both.exchange(signedIn), 400, 'invalid_grant')
    expect(await recordsOf(tokenStore)).toEqual([])

    const other = await old.connected()
    expectTokens(await both.refresh(other.refresh_token))
    expectError(await both.refresh(other.refresh_token), 400, 'invalid_grant')
    expect(await recordsOf(tokenStore)).toEqual([])
  })

  it('keeps refreshRetryWindow and replayTolerance for what the other key has derived', async () => {
    const clock = stopClock()
    const { old, both } = await servers({ refreshRetryWindow: 5 })
    const first = await old.connected()
    const byOld = expectTokens(await old.refresh(first.refresh_token))
    expectTokens(await both.refresh(first.refresh_token))
    clock.advance(9)
    expectError(await both.refresh(first.refresh_token), 400, 'invalid_grant')
    expectTokens(await both.refresh(byOld.refresh_token))
  })

  it('makes a repeat count as used if only the new key can derive its successor', async () => {
    const clock = stopClock()
    const { old, both } = await servers({ refreshRetryWindow: 60 })
    const first = await old.connected()
    clock.advance(10)
    const second = expectTokens(await both.refresh(first.refresh_token))
    expectError(await old.refresh(first.refresh_token), 400, 'invalid_grant')
    clock.advance(10)
    const third = expectTokens(await both.refresh(second.refresh_token))
    expectError(await old.refresh(first.refresh_token), 400, 'invalid_grant')
    expectTokens(await both.refresh(third.refresh_token))
  })

  it('lets a client revoke a live refresh token of the old key after that key was dropped', async () => {
    const { old, latest, tokenStore } = await servers()
    const { refresh_token } = await old.connected()
    const form = new URLSearchParams({ client_id: 'assistant-app', token: refresh_token })
    await fetch(`${latest.url}/v1/acme/oauth/revoke`, { method: 'POST', body: form })
    expect(await recordsOf(tokenStore)).toEqual([])
  })

  it('keeps a live refresh token of a dropped key if none of its scopes is offered', async () => {
    const tenant: Tenant = { ...acme, scopes: ['profile'] }
    const { old, latest } = await servers({ tenantStore: { findTenant: () => tenant } })
    const { refresh_token } = await old.connected()
    tenant.scopes = ['calendar']
    expectError(await latest.refresh(refresh_token), 400, 'invalid_scope')
    tenant.scopes = ['profile']
    expectTokens(await latest.refresh(refresh_token))
  })

  it('refuses a replay of a dropped key without writing anything', async () => {
    const { old, latest, tokenStore } = await servers({ replayTolerance: 0 })
    const signedIn = await old.asCustomer()
    const first = expectTokens(await old.exchange(signedIn))
    const second = expectTokens(await latest.refresh(first.refresh_token))
    const record = await recordsOf(tokenStore)
    expectError(await latest.refresh(first.refresh_token), 400, 'invalid_grant')
    expectError(await latest.exchange(signedIn), 400, 'invalid_grant')
    expect(await recordsOf(tokenStore)).toEqual(record)
    expect(await latest.told('replayed')).toEqual([])
    expectTokens(await latest.refresh(second.refresh_token))
  })
})

describe('rotating keys.signing', () => {
  it('keeps the access tokens of the old key valid while that key is listed', async () => {
    const shared = { tokenStore: new MemoryTokenStore(), baseUrl: 'https://assistant.example' }
    const old = await started(shared, { keys: { signing: [oldKey] } })
    const { access_token } = await old.connected()
    const { signIn } = await started(shared, { keys: { signing: [newKey, oldKey] } })
    await signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })
    const after = await started(shared, { keys: { signing: [newKey] } })
    await expect(after.signIn.verifyAccessToken(access_token, { tenantKey: 'acme' })).rejects.toMatchObject({
      code: 'invalid_token',
    })
  })
})

describe('processes with different secrets over one store', () => {
  const start = async (tokenStore: MemoryTokenStore, name: string) =>
    started({
      tokenStore,
      baseUrl: 'https://assistant.example',
      keys: { signing: [oldKey], credentialSecrets: [secret(name)] },
    })

  it('cause one warning, when one redeems a code of another', async () => {
    const tokenStore = new MemoryTokenStore()
    const [one, other] = [await start(tokenStore, 'one'), await start(tokenStore, 'other')]
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    for (let times = 0; times < 3; times++) expectTokens(await other.exchange(await one.asCustomer()))
    const told = warned.mock.calls.filter(([, options]) => /_SECRETS/.test(JSON.stringify(options)))
    warned.mockRestore()
    expect(told).toEqual([[expect.stringContaining('credentialSecrets'), expect.anything()]])
  })

  it('cause no warning if each redeems its own codes, even with refresh tokens from before a rotation', async () => {
    const tokenStore = new MemoryTokenStore()
    const [one, other] = [await start(tokenStore, 'one'), await start(tokenStore, 'other')]
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => {})
    expectTokens(await other.refresh((await one.connected()).refresh_token))
    expectTokens(await other.exchange(await other.asCustomer()))
    const told = warned.mock.calls.filter(([, options]) => /_SECRETS/.test(JSON.stringify(options)))
    warned.mockRestore()
    expect(told).toEqual([])
  })
})
