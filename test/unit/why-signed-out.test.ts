import {
  type CustomerSignInEvent,
  MemoryTenantStore,
  MemoryTokenStore,
  OAuthError,
  type Tenant,
} from 'customer-sign-in'
import { Authorization, asTheySay } from '../support/authorization'
import { releaseClock, stopClock } from '../support/clock'
import { faultyStore, rejects } from '../support/faulty-store'
import { HostApp } from '../support/host-app'
import { registered } from '../support/registration'
import { clientId, expectTokens, type TestSignIn, type Tokens, tenants } from '../support/sign-in'
import { started } from '../support/started'
import type { TestOptions } from '../support/test-options'

const day = 86_400

afterEach(releaseClock)

/** A customer, among others, whose assistant has worked until now, and the log once it no longer works. */
class Complaint {
  readonly clock = stopClock()
  /** The host's tenants, which a test can change. */
  readonly companies = new Map<string, Tenant>(tenants.map((tenant) => [tenant.key, { ...tenant }]))
  readonly faulty = faultyStore(new MemoryTokenStore())
  host!: TestSignIn
  tokens!: Tokens
  #client = clientId

  static async of(options: TestOptions = {}, isRegistered = false): Promise<Complaint> {
    const complaint = new Complaint()
    complaint.host = await started({
      tenantStore: { findTenant: (key) => complaint.companies.get(key) },
      tokenStore: complaint.faulty.store,
      authenticate: asTheySay,
      ...options,
    })
    if (isRegistered) complaint.#client = await registered(complaint.host)
    await complaint.host.connected({ subject: 'somebody else' })
    const signedIn = await complaint.host.asCustomer({ subject: 'ada', clientId: complaint.#client })
    complaint.tokens = expectTokens(await complaint.host.exchange(signedIn, { client_id: complaint.#client }))
    return complaint
  }

  get grantId(): string {
    const issued = this.host.events.find((event) => event.type === 'issued' && event.subject === 'ada')
    return (issued as { grantId: string } | undefined)?.grantId ?? ''
  }

  refresh(refreshToken = this.tokens.refresh_token) {
    return this.host.refresh(refreshToken, { client_id: this.#client })
  }

  /** The only query of the engineer on call: this customer's id, or grants whose ids begin like this customer's. */
  async log(): Promise<CustomerSignInEvent[]> {
    await this.host.told('denied')
    const hers = this.grantId.slice(0, 12)
    return this.host.events.filter((event) => {
      const { subject, grantId = '' } = event as { subject?: string; grantId?: string }
      return subject === 'ada' || grantId.startsWith(hers)
    })
  }

  /** What the log says about why she was signed out. */
  async says(): Promise<string[]> {
    const ends = (await this.log()).filter(({ type }) => !['issued', 'refreshed'].includes(type))
    return ends.map((event) => {
      if (event.type === 'expired') return `expired by ${event.limit}`
      if (event.type === 'replayed') return `replayed, ended: ${event.ended}`
      return 'reason' in event ? `${event.type}: ${event.reason}` : event.type
    })
  }

  /** The API that she calls. */
  async callApi(check: { resource?: string; checkRevocation?: boolean } = {}, token = this.tokens.access_token) {
    const guard = this.host.signIn.requireAccessToken({ tenantKey: 'acme', ...check })
    const app = await HostApp.start(() => (req, res) => guard(req, res, () => res.end()))
    await fetch(app.origin, { headers: token === '' ? {} : { Authorization: `Bearer ${token}` } })
    await app.stop()
  }

  change(changes: Partial<Tenant>): void {
    this.companies.set('acme', { ...(this.companies.get('acme') as Tenant), ...changes })
  }
}

describe('why a customer was signed out is in the log:', () => {
  it('a replay', async () => {
    const ada = await Complaint.of()
    const { refresh_token } = expectTokens(await ada.refresh())
    ada.clock.advance(60)
    await ada.refresh()
    await ada.refresh(refresh_token)
    expect(await ada.says()).toEqual(['replayed, ended: true', 'denied: replayed', 'denied: ended_or_lost'])
  })

  it('the assistant was idle for too long', async () => {
    const ada = await Complaint.of()
    ada.clock.advance(30 * day + 1)
    await ada.refresh()
    expect(await ada.says()).toEqual(['expired by lifetimes.refreshToken', 'denied: expired'])
    const [expired] = await ada.host.told('expired')
    expect(expired).toMatchObject({ tenantKey: 'acme', tenantId: 'acme', clientId, grantId: ada.grantId })
    expect((expired?.at ?? 0) - (expired?.expiredAt ?? 0)).toBeLessThan(2000)
  })

  it('the assistant came too late with its code', async () => {
    const ada = await Complaint.of()
    const signedIn = await ada.host.asCustomer({ subject: 'ada' })
    ada.clock.advance(61)
    await ada.host.exchange(signedIn)
    expect(await ada.says()).toEqual(['expired by lifetimes.authorizationCode', 'denied: expired'])
  })

  it('the assistant came too late with its code, and the host adds claims', async () => {
    const ada = await Complaint.of({ accessTokenClaims: () => ({}) })
    ada.clock.advance(30 * day + 1)
    await ada.refresh()
    expect(await ada.says()).toEqual(['expired by lifetimes.refreshToken', 'denied: expired'])
  })

  it('lifetimes.grant was over, although the assistant was in use', async () => {
    const ada = await Complaint.of({ lifetimes: { grant: 40 * day } })
    ada.clock.advance(25 * day)
    const { refresh_token } = expectTokens(await ada.refresh())
    ada.clock.advance(15 * day + 1)
    await ada.refresh(refresh_token)
    expect(await ada.says()).toEqual(['expired by lifetimes.grant', 'denied: expired'])
  })

  it.each([
    [
      'the host, by the grant',
      (ada: Complaint) => ada.host.signIn.grants.revoke({ tenantKey: 'acme', subject: 'ada', grantId: ada.grantId }),
    ],
    [
      'the host, by the customer',
      (ada: Complaint) => ada.host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'ada' }),
    ],
  ])('the grant was ended by %s', async (_, end) => {
    const ada = await Complaint.of()
    await end(ada)
    await ada.refresh()
    expect(await ada.says()).toEqual(['revoked: host', 'denied: ended_or_lost'])
  })

  it('the grant was ended by the client', async () => {
    const ada = await Complaint.of()
    const form = new URLSearchParams({ token: ada.tokens.refresh_token, client_id: clientId })
    await fetch(`${ada.host.issuer()}/revoke`, { method: 'POST', body: form })
    await ada.refresh()
    expect(await ada.says()).toEqual(['revoked: client', 'denied: ended_or_lost'])
  })

  it('too many sign-ins of the same client', async () => {
    const ada = await Complaint.of({ grants: { perClient: 1 } })
    ada.clock.advance(1)
    await ada.host.asCustomer({ subject: 'ada' })
    await ada.refresh()
    expect(await ada.says()).toEqual(['revoked: too_many', 'denied: ended_or_lost'])
  })

  it('the company is off', async () => {
    const ada = await Complaint.of()
    ada.companies.delete('acme')
    await ada.callApi()
    expect(await ada.says()).toEqual(['denied: tenant_gone'])
    await ada.refresh()
    expect(await ada.host.told('denied')).toMatchObject([
      { where: 'requireAccessToken', tenantId: 'acme', subject: 'ada' },
      { where: 'token', reason: 'tenant_gone', tenantKey: 'acme' },
    ])
  })

  it('the host refused the claims', async () => {
    let isActive = true
    const ada = await Complaint.of({
      accessTokenClaims: () => {
        if (isActive) return {}
        throw new OAuthError('invalid_grant', 'The customer has been deactivated')
      },
    })
    isActive = false
    await ada.refresh()
    expect(await ada.says()).toEqual(['denied: claims_refused'])
  })

  it('the address of the API has changed', async () => {
    const ada = await Complaint.of()
    ada.change({ resources: ['https://api.acme.example/new'] })
    await ada.callApi()
    await ada.refresh()
    expect(await ada.says()).toEqual(['denied: wrong_resource', 'revoked: resource_gone', 'denied: resource_gone'])
  })

  it('all of her scopes were withdrawn', async () => {
    const ada = await Complaint.of()
    ada.change({ scopes: ['admin'] })
    await ada.refresh()
    expect(await ada.says()).toEqual(['denied: scopes_gone'])
  })

  it('another company has taken the key', async () => {
    const ada = await Complaint.of()
    ada.change({ id: 'another-company' })
    await ada.callApi()
    expect(await ada.says()).toEqual(['denied: wrong_tenant'])
    expect(await ada.host.told('denied')).toMatchObject([{ tenantId: 'acme', subject: 'ada' }])
  })

  it('the store has lost the grant: it should be there, and nobody has ended it', async () => {
    const ada = await Complaint.of()
    await ada.faulty.healthy.deleteGrant('acme', ada.grantId)
    await ada.callApi({ checkRevocation: true })
    await ada.refresh()
    expect(await ada.says()).toEqual(['denied: ended_or_lost', 'denied: ended_or_lost'])
  })

  it('the store was down, and her client was told to retry', async () => {
    const ada = await Complaint.of()
    ada.faulty.always('swapCredential', rejects)
    await ada.refresh()
    expect(await ada.says()).toEqual(['error: token_store_failed'])
  })

  it('the access token has expired, and the client has not refreshed it', async () => {
    const ada = await Complaint.of()
    ada.clock.advance(3601)
    await ada.callApi()
    expect(await ada.says()).toEqual(['denied: token_expired'])
  })

  it('she refused the client, after she had allowed it before', async () => {
    const ada = await Complaint.of()
    for (const decision of ['allow', 'deny'] as const) {
      const authorization = new Authorization(ada.host)
      await authorization.answer(await authorization.form('ada'), decision, 'ada')
    }
    expect(await ada.says()).toEqual(['allowed', 'declined', 'denied: declined'])
  })

  it.each([true, false])('what she answered, if the host asks for consent itself and is told %s', async (answer) => {
    const ada = await Complaint.of({ pages: { consent: () => answer } })
    await new Authorization(ada.host).open('ada')
    expect(await ada.says()).toEqual(answer ? ['allowed'] : ['declined', 'denied: declined'])
  })
})

describe('a request without a token', () => {
  it('causes no event, because that is how a client begins', async () => {
    const ada = await Complaint.of()
    await ada.callApi({}, '')
    expect(await ada.host.told('denied')).toEqual([])
  })
})

describe('a credential that this server has not minted', () => {
  it('causes an event that names no customer and no grant as certain', async () => {
    const host = await started({ tenantStore: new MemoryTenantStore(tenants) })
    const { refresh_token } = await host.connected()
    const forged = `${refresh_token.slice(0, -4)}AAAA`.replace(/^(.{45})..../, '$1AAAA')
    await host.refresh(forged)
    const [denied] = await host.told('denied')
    expect(denied).toMatchObject({ reason: 'unknown_credential', detail: { grantId: expect.any(String) } })
    expect(denied).not.toHaveProperty('grantId')
    expect(denied).not.toHaveProperty('subject')
  })
})
