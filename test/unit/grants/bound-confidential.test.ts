import { MemoryTenantStore, newClientSecret } from 'customer-sign-in'
import { decode } from 'jsonwebtoken'
import { CompanyIssuer, present, trusting } from '../../support/company-issuer'
import { basic } from '../../support/confidential-clients'
import { bound, KeyHolder } from '../../support/key-holder'
import { clientId, expectError, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const { secret, hash } = newClientSecret()
const authentication = ['none', 'client_secret_basic'] as const

describe('a client that authenticates and proves a key', () => {
  async function startedWith(grantTypes?: string[]) {
    const client = { clientId, redirectUris: [redirectUri], secretHashes: [hash], ...(grantTypes && { grantTypes }) }
    const tenantStore = new MemoryTenantStore([{ key: 'acme', id: 'acme', clients: [client] }])
    return started({ tenantStore, clients: { authentication } })
  }

  it('may change its key, must prove one, and nobody else can', async () => {
    const host = await startedWith()
    const [one, other] = [new KeyHolder(host), new KeyHolder(host)]
    const authorization = basic(clientId, secret)
    const first = bound(await one.proving(host.exchange(await host.asCustomer())).set('Authorization', authorization))
    expectError(await host.refresh(first.refresh_token).set('Authorization', authorization), 400, 'invalid_dpop_proof')
    expectError(await one.refresh(first.refresh_token), 401, 'invalid_client')
    const second = bound(await other.refresh(first.refresh_token).set('Authorization', authorization))
    expect(decode(second.access_token)).toMatchObject({ cnf: { jkt: other.key.thumbprint } })
    bound(await one.refresh(second.refresh_token).set('Authorization', authorization))
  })

  it('gets a bound token for itself', async () => {
    const host = await startedWith(['client_credentials'])
    const holder = new KeyHolder(host)
    const ask = () =>
      host.token('acme', { grant_type: 'client_credentials' }).set('Authorization', basic(clientId, secret))
    const { body } = await holder.proving(ask()).expect(200)
    expect(body.token_type).toBe('DPoP')
    expect(decode(body.access_token)).toMatchObject({ cnf: { jkt: holder.key.thumbprint } })
    const proof = holder.proof()
    await ask().set('DPoP', proof).expect(200)
    expectError(await ask().set('DPoP', proof), 400, 'invalid_dpop_proof')
  })
})

describe('an assertion that is bound to a key by its cnf', () => {
  it('takes a proof of that key', async () => {
    const idp = await CompanyIssuer.start()
    const host = await started(trusting([idp.trusted()]))
    const [holder, thief] = [new KeyHolder(host), new KeyHolder(host)]
    const cnf = { jkt: holder.key.thumbprint }
    const asserted = (claims: object = { cnf }) => idp.idJag(host.issuer(), { claims: { ...claims } })
    expectError(await present(host, asserted()), 400, 'invalid_grant')
    expectError(await thief.proving(present(host, asserted())), 400, 'invalid_grant')
    for (const wrong of [{}, { jkt: undefined }, 'x']) {
      expectError(await present(host, asserted({ cnf: wrong })), 400, 'invalid_grant')
    }
    const { body } = await holder.proving(present(host, asserted())).expect(200)
    expect(body.token_type).toBe('DPoP')
    expect(decode(body.access_token)).toMatchObject({ cnf })
    const proof = holder.proof()
    await present(host, asserted()).set('DPoP', proof).expect(200)
    expectError(await present(host, asserted()).set('DPoP', proof), 400, 'invalid_dpop_proof')
  })
})
