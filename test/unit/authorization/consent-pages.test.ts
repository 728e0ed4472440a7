import { MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import { Authorization, asTheySay } from '../../support/authorization'
import { consentForm } from '../../support/consent-form'
import { type Database, type DatabaseServer, postgres, redis } from '../../support/database'
import { clientId, expectTokens, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const acme = { key: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }] }
const options = {
  authenticate: asTheySay,
  tenantStore: new MemoryTenantStore([acme]),
  pages: { askConsent: 'once' },
  keys: { credentialSecrets: ['0123456789'.repeat(4)] },
} as const

describe('a consent page over MemoryTokenStore', () => {
  const tokenStore = new MemoryTokenStore()
  consentPageSuite(() => started({ ...options, tokenStore, baseUrl: 'https://assistants.example' }))
})

for (const database of [redis, postgres]) overDatabase(database)

function overDatabase(database: Database): void {
  database.describe(`a consent page over ${database.name}`, () => {
    let server: DatabaseServer
    beforeAll(async () => {
      server = await database.start()
    })
    afterAll(() => server.stop())
    beforeEach(() => database.clear(server))

    consentPageSuite(() => database.startedOn(server.port, options))
  })
}

/** @param process Starts one of several processes of a host, which have the same store and secrets. */
function consentPageSuite(process: () => Promise<TestSignIn>): void {
  it('gives one code to any number of presses at several processes', async () => {
    const hosts = [await process(), await process(), await process()]
    const [first] = hosts as [TestSignIn]
    const authorization = new Authorization(first)
    const { token } = await authorization.form()
    const press = (host: TestSignIn) => {
      const elsewhere = new Authorization(host)
      const action = `?${authorization.query}`
      return elsewhere.answer({ action, token })
    }
    const responses = await Promise.all(Array.from({ length: 30 }, (_, n) => press(hosts[n % 3] as TestSignIn)))
    const codes = responses.filter(({ status }) => status === 303).map((one) => authorization.signedIn(one).code)
    expect(new Set(codes).size).toBe(1)
    // Those that came before the grant was stored ask again.
    for (const page of responses.filter(({ status }) => status !== 303)) consentForm(page)

    const again = authorization.signedIn(await press(hosts[1] as TestSignIn))
    expect([again.code]).toEqual([...new Set(codes)])
    expectTokens(await first.exchange(again))
    consentForm(await press(hosts[2] as TestSignIn).expect(200))
  })

  it('is remembered by every process until the customer disconnects the client', async () => {
    const [host, other] = [await process(), await process()]
    const tokens = expectTokens(await host.exchange(await new Authorization(host).allowed('ada')))
    expectTokens(await host.refresh(tokens.refresh_token))
    const authorization = new Authorization(other)
    expectTokens(await host.exchange(authorization.signedIn(await authorization.open('ada'))))
    await host.signIn.grants.revokeAll({ tenantKey: 'acme', subject: 'ada' })
    await new Authorization(other).open('ada').expect(200)
  })
}
