import { MemoryTokenStore } from 'customer-sign-in'
import type { TokenStore } from 'customer-sign-in/store'
import { releaseClock, stopClock } from '../../support/clock'
import { CompanyIssuer, present, trusting } from '../../support/company-issuer'
import { type Database, postgres, redis } from '../../support/database'
import { readToken } from '../../support/forged-token'
import { HostProcess } from '../../support/host-process'
import { recordsOf } from '../../support/records'
import { started } from '../../support/started'

afterEach(releaseClock)

const presentations = 1000
const baseUrl = 'https://assistants.example'
const issuer = `${baseUrl}/v1/acme/oauth`

interface Answer {
  status: number
  body: { error?: string | undefined }
}

/** An assertion with another signature. */
function misspelt(assertion: string): string {
  return assertion.replace(/....$/, 'AAAA')
}

/** Exactly one of all presentations of an assertion gets a token, and there is one grant. */
async function expectOne(answers: readonly Answer[], store: TokenStore): Promise<void> {
  const good = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status, body }) => status === 400 && body.error === 'invalid_grant')
  expect({ good: good.length, refused: refused.length }).toEqual({ good: 1, refused: presentations - 1 })
  expect(await recordsOf(store)).toHaveLength(1)
}

describe('one assertion that is presented a thousand times at once', () => {
  it('gives one token in one process', async () => {
    const idp = await CompanyIssuer.start()
    const store = new MemoryTokenStore()
    const host = await started({ ...trusting([idp.trusted()]), tokenStore: store, hostTimeout: 30 })
    const assertion = idp.idJag(host.issuer())
    const answers: Answer[] = []
    // A machine has sockets for so many at once.
    for (let round = 0; round < 10; round++) {
      answers.push(...(await Promise.all(Array.from({ length: presentations / 10 }, () => present(host, assertion)))))
    }
    await expectOne(answers, store)
  })
})

describe('an assertion whose grant has been revoked', () => {
  it('gives no second token in the last second in which it is good', async () => {
    const clock = stopClock()
    const idp = await CompanyIssuer.start()
    const host = await started(trusting([idp.trusted()]))
    const assertion = idp.idJag(host.issuer())
    const { exp, iat } = readToken(assertion).payload
    expect((await present(host, assertion)).status).toBe(200)
    const [grant] = await recordsOf(host.tokenStore)
    await host.signIn.grants.revoke({ tenantKey: 'acme', subject: `${grant?.subject}`, grantId: `${grant?.grantId}` })
    clock.advance(Number(exp) - Number(iat) + 58)
    expect((await present(host, assertion)).status).toBe(400)
    expect(await host.told('denied')).toMatchObject([{ reason: 'replayed' }])
  })
})

for (const database of [redis, postgres]) inFourProcesses(database)

function inFourProcesses(database: Database): void {
  database.describe(`one assertion that is presented a thousand times at once, with ${database.name}`, () => {
    it.each([[[-60, 0, 60, 0]]])('gives one token in four processes, %p seconds ahead', async (offsets) => {
      const server = await database.start()
      const idp = await CompanyIssuer.start()
      const hosts = await Promise.all(
        offsets.map((clockOffset) =>
          HostProcess.start({
            ...database.settingsFor(server.port),
            clockOffset,
            trustedIssuers: [idp.trusted()],
            signIn: { hostTimeout: 60, baseUrl, clients: { documents: 'with-loopback' } },
          }),
        ),
      )
      try {
        const assertion = idp.idJag(issuer)
        // So that each process has the keys: it waits five seconds for them, and a busy one would not get them within these.
        for (const host of hosts) expect((await host.present(misspelt(assertion))).status).toBe(400)
        const answers = await Promise.all(
          hosts.flatMap((host) => Array.from({ length: presentations / 4 }, () => host.present(assertion))),
        )
        const { tokenStore } = await database.startedOn(server.port)
        await expectOne(answers, tokenStore)
      } finally {
        await Promise.all(hosts.map((host) => host.stop()))
        await server.stop()
      }
    })
  })
}
