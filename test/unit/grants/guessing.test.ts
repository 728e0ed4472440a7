import { randomBytes } from 'node:crypto'
import { MemoryTokenStore } from 'customer-sign-in'
import type { Grant } from 'customer-sign-in/store'
import { forged, junk, takenApart } from '../../support/credential-text'
import { recordOf, recordsOf, restore } from '../../support/records'
import { expectError, expectTokens, type SignedIn, type TestSignIn, type Tokens } from '../../support/sign-in'
import { started } from '../../support/started'
import { wrapStore } from '../../support/wrap-store'

const anyVerifier = randomBytes(32).toString('base64url')
const ourSecret = 'the secret of this server'.padEnd(32, '.')
const strangeSecret = 'the secret of another server'.padEnd(32, '.')

/** A grant whose code and first refresh token have been used, in a store that counts its writes. */
async function usedGrant() {
  let writes = 0
  const tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, apply }) => {
    const result = await apply()
    const wrote = method !== 'swapCredential' || (result as { outcome: string }).outcome === 'swapped'
    if (wrote && !method.startsWith('find') && !method.startsWith('list')) writes++
    return result
  })
  const host = await started({
    tokenStore,
    replayTolerance: 0,
    refreshRetryWindow: 60,
    keys: { credentialSecrets: [ourSecret] },
  })
  const signedIn = await host.asCustomer({ tenantKey: 'globex' })
  const first = expectTokens(await host.exchange(signedIn))
  const second = expectTokens(await host.refresh(first.refresh_token, {}, 'globex'))
  const before = await recordOf(tokenStore, 'globex')
  writes = 0
  return { host, signedIn, first, second, before, writes: () => writes }
}

interface Guess {
  host: TestSignIn
  signedIn: SignedIn
  first: Tokens
  second: Tokens
}

const guesses: [string, (known: Guess) => ReturnType<TestSignIn['token']>][] = [
  [
    'the handle of its refresh token with a made-up secret and tag',
    ({ host, second }) => host.refresh(forged(second.refresh_token, { secret: junk(), tag: junk() }), {}, 'globex'),
  ],
  [
    'a made-up secret with the tag of the live refresh token',
    ({ host, second }) => host.refresh(forged(second.refresh_token, { secret: junk() }), {}, 'globex'),
  ],
  [
    'a used refresh token with a made-up tag',
    ({ host, first }) => host.refresh(forged(first.refresh_token, { tag: junk() }), {}, 'globex'),
  ],
  [
    'a used refresh token with the tag of the live one',
    ({ host, first, second }) =>
      host.refresh(forged(first.refresh_token, { tag: takenApart(second.refresh_token).tag }), {}, 'globex'),
  ],
  [
    'a used refresh token as another client',
    ({ host, first }) => host.refresh(first.refresh_token, { client_id: 'other-app' }, 'globex'),
  ],
  [
    'the live refresh token as another client',
    ({ host, second }) => host.refresh(second.refresh_token, { client_id: 'other-app' }, 'globex'),
  ],
  ['a used refresh token at another tenant', ({ host, first }) => host.refresh(first.refresh_token, {}, 'acme')],
  [
    'a used refresh token in the form of a code',
    ({ host, signedIn, first }) =>
      host.exchange({ ...signedIn, code: forged(first.refresh_token, { prefix: 'csic_' }) }),
  ],
  [
    'the live refresh token in the form of a code',
    ({ host, signedIn, second }) =>
      host.exchange({ ...signedIn, code: forged(second.refresh_token, { prefix: 'csic_' }) }),
  ],
  [
    'its used code in the form of a refresh token',
    ({ host, signedIn }) => host.refresh(forged(signedIn.code, { prefix: 'csir_' }), {}, 'globex'),
  ],
  [
    'its used code with another code_verifier',
    ({ host, signedIn }) => host.exchange(signedIn, { code_verifier: anyVerifier }),
  ],
  [
    'its used code with another redirect_uri',
    ({ host, signedIn }) => host.exchange(signedIn, { redirect_uri: 'https://elsewhere.example/callback' }),
  ],
  ['its used code as another client', ({ host, signedIn }) => host.exchange(signedIn, { client_id: 'other-app' })],
  ['its used code at another tenant', ({ host, signedIn }) => host.exchange({ ...signedIn, tenantKey: 'acme' })],
  [
    'its used code with a made-up tag',
    ({ host, signedIn }) => host.exchange({ ...signedIn, code: forged(signedIn.code, { tag: junk() }) }),
  ],
  [
    'the handle of its code with a made-up secret and tag',
    ({ host, signedIn }) =>
      host.exchange({ ...signedIn, code: forged(signedIn.code, { secret: junk(), tag: junk() }) }),
  ],
  [
    'the live refresh token with more before it',
    ({ host, second }) => host.refresh(`A${second.refresh_token}`, {}, 'globex'),
  ],
  [
    'a used refresh token under the handle of nothing',
    ({ host, first }) => host.refresh(forged(first.refresh_token, { handle: junk() }), {}, 'globex'),
  ],
]

describe('a grant is neither ended nor changed by', () => {
  it.each(guesses)('%s', async (_, guess) => {
    const { before, writes, ...known } = await usedGrant()
    expectError(await guess(known), 400, 'invalid_grant')
    expect(await recordOf(known.host.tokenStore, 'globex')).toEqual(before)
    expect(writes()).toBe(0)
    expect(await known.host.told('replayed')).toEqual([])
    expectTokens(await known.host.refresh(known.second.refresh_token, {}, 'globex'))
  })

  it('its live code, with anything else wrong', async () => {
    const host = await started({ replayTolerance: 0 })
    const signedIn = await host.asCustomer({ tenantKey: 'globex' })
    const before = await recordOf(host.tokenStore, 'globex')
    const wrong = [
      { code_verifier: anyVerifier },
      { redirect_uri: 'https://elsewhere.example/callback' },
      { client_id: 'other-app' },
      { code: forged(signedIn.code, { secret: junk() }) },
      { code: forged(signedIn.code, { prefix: 'csir_' }) },
    ]
    for (const overrides of wrong) expectError(await host.exchange(signedIn, overrides), 400, 'invalid_grant')
    expect(await recordOf(host.tokenStore, 'globex')).toEqual(before)
    expectTokens(await host.exchange(signedIn))
  })

  it('used credentials of another grant with its handle, even of the same customer and client', async () => {
    const host = await started({ replayTolerance: 0 })
    const signedIn = await host.asCustomer()
    const used = expectTokens(await host.exchange(signedIn))
    expectTokens(await host.refresh(used.refresh_token))
    const other = await host.connected()
    const before = await recordsOf(host.tokenStore)
    const { handle } = takenApart(other.refresh_token)
    expectError(await host.refresh(forged(used.refresh_token, { handle })), 400, 'invalid_grant')
    const code = forged(signedIn.code, { handle })
    expectError(await host.exchange({ ...signedIn, code }), 400, 'invalid_grant')
    expect(await recordsOf(host.tokenStore)).toEqual(before)
    expectTokens(await host.refresh(other.refresh_token))
  })

  it('a used refresh token of the same grant copied into another tenant', async () => {
    const { host, first, second, before } = await usedGrant()
    const copy: Grant = { ...before, tenantId: 'acme', subject: 'customer-2' }
    await restore(host.tokenStore, copy)
    expectError(await host.refresh(first.refresh_token, {}, 'acme'), 400, 'invalid_grant')
    expect(await recordOf(host.tokenStore, 'acme', 'customer-2')).toEqual(copy)
    expectTokens(await host.refresh(second.refresh_token, {}, 'globex'))
  })

  it('a refresh token that a server with other secrets had minted', async () => {
    const tokenStore = new MemoryTokenStore()
    const host = await started({ tokenStore, keys: { credentialSecrets: [ourSecret] }, replayTolerance: 0 })
    const stranger = await started({ tokenStore, keys: { credentialSecrets: [strangeSecret] }, baseUrl: host.url })
    const minted = await stranger.connected()
    const live = expectTokens(await host.refresh(minted.refresh_token))
    const before = await recordsOf(tokenStore)
    expectError(await host.refresh(minted.refresh_token), 400, 'invalid_grant')
    expect(await recordsOf(tokenStore)).toEqual(before)
    expectTokens(await host.refresh(live.refresh_token))
  })
})

describe('a refresh token that another client presents', () => {
  it('gets the same response whether it is live or not, so that a thief learns nothing from it', async () => {
    const host = await started({ refreshRetryWindow: 300 })
    const first = await host.connected({ tenantKey: 'globex' })
    const asOther = () => host.refresh(first.refresh_token, { client_id: 'other-app' }, 'globex')
    const whileLive = expectError(await asOther(), 400, 'invalid_grant')
    expectTokens(await host.refresh(first.refresh_token, {}, 'globex'))
    expect(expectError(await asOther(), 400, 'invalid_grant')).toBe(whileLive)
    expect(await host.told('denied')).toMatchObject([
      {
        reason: 'wrong_client',
        clientId: 'assistant-app',
        subject: 'customer-1',
        detail: { presentedBy: 'other-app' },
      },
      { reason: 'unknown_credential' },
    ])
  })
})

describe('the grant id', () => {
  it('in an access token or an event does not name the grant to the token endpoint', async () => {
    const { host, second, before } = await usedGrant()
    const { handle: right } = takenApart(second.refresh_token)
    const id = Buffer.from(before.grantId, 'base64url')
    const handle = Buffer.concat([id, right.subarray(id.length)])
    expect(handle).not.toEqual(right)
    const attempt = forged(second.refresh_token, { handle })
    expectError(await host.refresh(attempt, {}, 'globex'), 400, 'invalid_grant')
  })
})
