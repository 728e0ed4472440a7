import { inspect } from 'node:util'
import { type CustomerSignInEvent, newClientSecret } from 'customer-sign-in'
import { Authorization, asTheySay } from '../../support/authorization'
import { releaseClock, stopClock } from '../../support/clock'
import { assertionOf, basic, clientKey, withAssertion } from '../../support/confidential-clients'
import { forged, junk, takenApart } from '../../support/credential-text'
import { recordOf, restore } from '../../support/records'
import { register } from '../../support/registration'
import { clientId, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import { formsOf, Witness } from '../../support/witness'

const credentialSecret = 'a secret that only the host knows'

/** Everything that can happen to a grant. */
async function walk(host: TestSignIn, witness: Witness, clock: ReturnType<typeof stopClock>): Promise<void> {
  const { tokenStore } = witness
  const signInAs = async (subject: string) => {
    const signedIn = await host.asCustomer({ subject, claims: { plan: 'gold' }, state: 'opaque' })
    witness.issued.push({ name: 'code', text: signedIn.code }, { name: 'code_verifier', text: signedIn.codeVerifier })
    return signedIn
  }
  const exchange = async (...args: Parameters<TestSignIn['exchange']>) => witness.read(await host.exchange(...args))
  const refresh = async (...args: Parameters<TestSignIn['refresh']>) => witness.read(await host.refresh(...args))

  await signInAs('never redeems it')
  const signedIn = await signInAs('customer-1')
  await exchange(signedIn, { code_verifier: 'x'.repeat(43) })
  await exchange(signedIn, { client_id: 'unknown' })
  await exchange(signedIn, { redirect_uri: 'https://elsewhere.example' })
  await exchange(signedIn, { resource: 'https://elsewhere.example' })
  await exchange({ ...signedIn, code: forged(signedIn.code, { tag: junk() }) }, { code_verifier: 'y'.repeat(43) })
  const first = (await exchange(signedIn)).body
  await exchange(signedIn)
  // The first refresh token stays for the window once its code has come again.
  clock.advance(5)
  const copy = await recordOf(tokenStore)
  const second = (await refresh(first.refresh_token, { scope: 'profile' })).body
  await exchange(signedIn)
  await refresh(first.refresh_token)
  await refresh(first.refresh_token, {}, 'globex')
  await refresh(second.refresh_token, { client_id: undefined, code: signedIn.code })
  const third = (await refresh(second.refresh_token)).body
  await restore(tokenStore, copy)
  const recovered = (await refresh(third.refresh_token)).body
  for (const method of [
    'swapCredential',
    'reverseSwap',
    'findGrant',
    'deleteGrant',
    'createGrant',
    'listGrants',
    'deleteGrants',
  ]) {
    witness.fail(method)
    await refresh(recovered.refresh_token, { scope: method === 'findGrant' ? 'profile' : undefined })
    await refresh(first.refresh_token)
    await signInAs('customer-1').catch((error) => witness.told.push(error))
    const revoking = host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'nobody' })
    await revoking.catch((error) => witness.told.push(error))
    const paging = host.signIn.grants.list({ tenantKey: 'acme', anyCustomer: true })
    await paging.then(
      (page) => witness.told.push(page),
      (error) => witness.told.push(error),
    )
    witness.recover()
  }
  clock.advance(60)
  await refresh(first.refresh_token)
  await refresh(third.refresh_token)
  for (const check of [{ tenantKey: 'globex' }, { tenantKey: 'acme', checkRevocation: true, scopes: 'admin' }]) {
    await host.signIn.verifyAccessToken(third.access_token, check).catch((error) => witness.told.push(error))
  }
  await host.connected({ subject: 'revoked' })
  await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'revoked' })
  const { refresh_token } = (await exchange(await signInAs('revoked by the host'))).body
  await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'revoked by the host' })
  await refresh(refresh_token)
  clock.advance(40 * 86_400)
  await refresh(refresh_token)
  for (const decision of ['allow', 'deny'] as const) {
    const authorization = new Authorization(host)
    await authorization.answer(await authorization.form(), decision)
  }
  await host.token('acme', { grant_type: 'refresh_token', client_id: clientId, redirect_uri: redirectUri })
}

describe('codes, tokens and the secrets they are made from', () => {
  const witness = new Witness()
  let warnings: jest.SpyInstance

  beforeAll(async () => {
    const clock = stopClock()
    warnings = jest.spyOn(process, 'emitWarning').mockImplementation()
    const options = {
      authenticate: asTheySay,
      tokenStore: witness.tokenStore,
      keys: { credentialSecrets: [credentialSecret] },
      refreshRetryWindow: 5,
    }
    for (const onEvent of [witness.onEvent, undefined]) {
      const host = await started({ ...options, onEvent })
      await walk(host, witness, clock)
      await host.told('error')
      clock.advance(3600)
      await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'customer-1' })
    }
  })
  afterAll(() => {
    warnings.mockRestore()
    releaseClock()
  })

  const traces = (where: unknown) => {
    const haystack = inspect(where, { depth: null, maxStringLength: null, maxArrayLength: null, showHidden: true })
    const found = witness.issued.flatMap((each) => [...formsOf(each)]).filter(({ form }) => haystack.includes(form))
    return found.map(({ what }) => what)
  }

  it('were issued in this test in numbers, and of every kind', () => {
    const numberOf = (name: string) => witness.issued.filter((each) => each.name === name).length
    expect(numberOf('code')).toBeGreaterThan(5)
    expect(numberOf('refresh token')).toBeGreaterThan(5)
    expect(numberOf('access token')).toBeGreaterThan(5)
  })

  it('would be found if they were stored or reported anywhere', () => {
    for (const { name, text } of witness.issued) {
      expect(traces({ deep: [{ text: `x${text}y` }] })).toContain(name)
      if (!/^csi[cr]_/.test(text)) continue
      const { handle, secret } = takenApart(text)
      expect(traces({ handle })).toContain(`${name}'s handle as hex`)
      expect(traces(JSON.stringify([secret.toString('base64')]))).toContain(`${name}'s secret as base64`)
      expect(traces(JSON.stringify(secret))).toContain(`${name}'s secret as bytes`)
    }
  })

  it('are nowhere in what the store receives, holds and returns', () => {
    expect(witness.stored.length).toBeGreaterThan(50)
    expect(traces(witness.stored)).toEqual([])
    expect(traces(JSON.stringify(witness.stored))).toEqual([])
  })

  it('are in no event, error or header', () => {
    const types = witness.told.map((told) => (told as CustomerSignInEvent).type)
    expect(types).toEqual(
      expect.arrayContaining([
        'allowed',
        'declined',
        'issued',
        'refreshed',
        'retried',
        'replayed',
        'revoked',
        'expired',
        'denied',
        'error',
      ]),
    )
    expect(traces(witness.told)).toEqual([])
  })

  it('are in no process warning', () => {
    expect(warnings).toHaveBeenCalled()
    expect(traces(warnings.mock.calls)).toEqual([])
  })

  it('cannot be derived from the store, because the host’s secret is not there either', () => {
    const everything = inspect([witness.stored, witness.told, warnings.mock.calls], { depth: null })
    for (const form of ['utf8', 'hex', 'base64url'] as const) {
      expect(everything).not.toContain(Buffer.from(credentialSecret).toString(form))
    }
  })
})

describe('client secrets and assertions', () => {
  const witness = new Witness()
  const secrets: string[] = []
  let warnings: jest.SpyInstance

  /** All requests of two clients that authenticate, right and wrong ones, also while the store fails. */
  async function authenticate(host: TestSignIn): Promise<void> {
    const made = newClientSecret()
    const key = clientKey()
    const { body } = await register(host, { token_endpoint_auth_method: 'client_secret_post' })
    const registered = { client_id: body.client_id, client_secret: body.client_secret }
    const withKey = { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } }
    const client_id = (await register(host, withKey)).body.client_id
    const { privateKey } = key
    secrets.push(made.secret, registered.client_secret, String(privateKey.export({ format: 'jwk' }).d))
    const fieldsOf = [
      () => registered,
      () => {
        const assertion = assertionOf(key, client_id, host.issuer())
        secrets.push(assertion, assertion.split('.')[2] ?? '')
        return withAssertion(assertion)
      },
    ]
    for (const [index, fields] of fieldsOf.entries()) {
      const clientOf = [registered.client_id, client_id][index] ?? ''
      const signedIn = await host.asCustomer({ clientId: clientOf })
      await host.exchange(signedIn, { client_id: clientOf })
      await host.exchange(signedIn, { client_id: clientOf, client_secret: made.secret })
      await host.exchange(signedIn, { ...fields(), ...registered })
      const basically = host.exchange(signedIn, { client_id: undefined })
      await basically.set('Authorization', basic(clientOf, registered.client_secret))
      const used = fields()
      const { body: tokens } = witness.read(await host.exchange(signedIn, used))
      await host.refresh(tokens.refresh_token ?? 'csir_', used)
      for (const method of ['useOnce', 'swapCredential', 'findGrant']) {
        witness.fail(method)
        await host.refresh(tokens.refresh_token ?? 'csir_', fields())
        await host.revoke({ client_id: undefined, token: 'csir_', ...fields() })
        witness.recover()
      }
    }
    await host.refresh('csir_', withAssertion(`${secrets.at(-2)}x`))
  }

  beforeAll(async () => {
    warnings = jest.spyOn(process, 'emitWarning').mockImplementation()
    const clientAuthentication = ['none', 'private_key_jwt', 'client_secret_basic', 'client_secret_post'] as const
    for (const onEvent of [witness.onEvent, undefined]) {
      const host = await started({
        tokenStore: witness.tokenStore,
        clients: { authentication: clientAuthentication },
        onEvent,
      })
      await authenticate(host)
      await host.told('error')
    }
  })
  afterAll(() => warnings.mockRestore())

  it('are nowhere in the store, in an event, in an error or in a warning', () => {
    expect(secrets.length).toBeGreaterThan(20)
    const options = { depth: null, maxStringLength: null, maxArrayLength: null, showHidden: true }
    const everything = inspect([witness.stored, witness.told, warnings.mock.calls], options)
    expect(everything).toContain('useOnce')
    expect(everything).toContain('authentication_failed')
    expect(everything).toContain('dcr_')
    const bytes = secrets
      .filter((text) => text.startsWith('csis_'))
      .map((text) => Buffer.from(text.slice(5), 'base64url'))
    const forms = bytes.flatMap((secret) => ['hex', 'base64url'].map((form) => secret.toString(form as 'hex')))
    expect([...secrets, ...forms].filter((text) => everything.includes(text))).toEqual([])
  })
})
