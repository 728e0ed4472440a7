import type { ServerResponse } from 'node:http'
import { releaseClock, type StoppedClock, stopClock } from '../../support/clock'
import { CompanyIssuer, present, trusting } from '../../support/company-issuer'
import { clientKey } from '../../support/confidential-clients'
import { expectError } from '../../support/sign-in'
import { started } from '../../support/started'

const discovery = '/.well-known/openid-configuration'

async function acme(changes: (idp: CompanyIssuer) => void = () => {}) {
  const idp = await CompanyIssuer.start()
  changes(idp)
  const host = await started(trusting([idp.trusted()]))
  const ask = () => present(host, idp.idJag(host.issuer()))
  return { idp, host, ask }
}

/** Fails unless the keys that could not be fetched just now are asked for again after so many seconds, and no earlier. */
async function expectNextFetch(
  seconds: number,
  { idp, ask, clock }: Pick<Awaited<ReturnType<typeof acme>>, 'idp' | 'ask'> & { clock: StoppedClock },
): Promise<void> {
  const asked = idp.asked.length
  clock.advance(seconds - 1)
  expectError(await ask(), 503, 'temporarily_unavailable')
  expect(idp.asked).toHaveLength(asked)
  clock.advance(2)
  idp.status = 200
  expect((await ask()).status).toBe(200)
}

afterEach(releaseClock)

describe('the keys of an issuer', () => {
  it('are discovered once', async () => {
    const { idp, ask } = await acme()
    for (let request = 0; request < 3; request++) expect((await ask()).status).toBe(200)
    expect(idp.asked).toEqual([discovery, '/keys'])
  })

  it('are discovered by RFC 8414, where there is no OpenID Connect', async () => {
    const path = '/.well-known/oauth-authorization-server'
    const { idp, ask } = await acme((issuer) => Object.assign(issuer, { discovery: path }))
    expect((await ask()).status).toBe(200)
    expect(idp.asked).toEqual([discovery, path, '/keys'])
  })

  it('are looked for first where their address was found before', async () => {
    const path = '/.well-known/oauth-authorization-server'
    const clock = stopClock()
    const { idp, ask } = await acme((issuer) => Object.assign(issuer, { discovery: path }))
    await ask()
    clock.advance(600)
    expect((await ask()).status).toBe(200)
    expect(idp.asked.slice(3)).toEqual([path, '/keys'])
  })

  it('are away, not wrong, as long as their issuer answers with something else than JSON', async () => {
    const clock = stopClock()
    const { idp, ask } = await acme()
    const { answer } = idp
    idp.answer = (_, res) => res.end('<html>')
    expectError(await ask(), 503, 'temporarily_unavailable')
    idp.answer = answer
    clock.advance(10)
    expect((await ask()).status).toBe(200)
  })

  it('are a matter of the host’s where its own fetch returns no response', async () => {
    const idp = await CompanyIssuer.start()
    const fetch = (() => 'keys') as never
    const host = await started({ ...trusting([idp.trusted()]), clients: { documents: 'with-loopback', fetch } })
    expectError(await present(host, idp.idJag(host.issuer())), 503, 'temporarily_unavailable')
    expect(await host.told('error')).toMatchObject([{ where: 'token', reason: 'hook_failed' }])
  })

  it('need no discovery where the company says where they are', async () => {
    const idp = await CompanyIssuer.start()
    const host = await started(trusting([idp.trusted({ jwksUri: `${idp.issuer}/keys` })]))
    expect((await present(host, idp.idJag(host.issuer()))).status).toBe(200)
    expect(idp.asked).toEqual(['/keys'])
  })

  it('are fetched once for all requests that wait for them', async () => {
    const { idp, ask } = await acme()
    for (const { status } of await Promise.all([1, 2, 3].map(ask))) expect(status).toBe(200)
    expect(idp.asked).toEqual([discovery, '/keys'])
  })

  it.each([
    ['is away', { status: 503 }],
    ['says for a while that there is nothing', { status: 404 }],
  ])('die an hour after they were fetched if their address %s', async (_, failure) => {
    const clock = stopClock()
    const { idp, ask } = await acme()
    expect((await ask()).status).toBe(200)
    Object.assign(idp, failure)
    // A copy is used for a minute before its address is asked again.
    for (let minute = 1; minute < 55; minute++) {
      clock.advance(60)
      expect((await ask()).status).toBe(200)
    }
    clock.advance(6 * 60)
    expectError(await ask(), 503, 'temporarily_unavailable')
    Object.assign(idp, { status: 200 })
    clock.advance(60)
    expect((await ask()).status).toBe(200)
  })

  it('die after ten minutes if the issuer withdraws them, whatever its headers say', async () => {
    const clock = stopClock()
    const { idp, ask } = await acme((issuer) => Object.assign(issuer.headers, { 'Cache-Control': 'max-age=86400' }))
    expect((await ask()).status).toBe(200)
    idp.keys = [clientKey().jwk]
    clock.advance(599)
    expect((await ask()).status).toBe(200)
    clock.advance(2)
    expectError(await ask(), 400, 'invalid_grant')
  })

  it('that could never be fetched are asked for again after five seconds', async () => {
    const clock = stopClock()
    const { idp, ask } = await acme((issuer) => Object.assign(issuer, { status: 500 }))
    await ask()
    await expectNextFetch(5, { idp, ask, clock })
  })

  it('that lack a new key and cannot be fetched again are asked for after another minute', async () => {
    const clock = stopClock()
    const { idp, ask } = await acme()
    expect((await ask()).status).toBe(200)
    clock.advance(61)
    Object.assign(idp, { key: clientKey(), status: 500 })
    expectError(await ask(), 503, 'temporarily_unavailable')
    await expectNextFetch(60, { idp, ask, clock })
  })

  it('are fetched again for a new key, at most once a minute', async () => {
    const clock = stopClock()
    const { idp, ask } = await acme()
    expect((await ask()).status).toBe(200)
    idp.key = clientKey()
    expectError(await ask(), 503, 'temporarily_unavailable')
    clock.advance(61)
    expect((await ask()).status).toBe(200)
    expect(idp.asked).toEqual([discovery, '/keys', '/keys'])
  })

  it('of one company are no matter of another one, whose issuer is slow', async () => {
    const [slow, fast] = [await CompanyIssuer.start(), await CompanyIssuer.start()]
    const held: ServerResponse[] = []
    Object.assign(slow, { answer: (_: unknown, res: ServerResponse) => held.push(res) })
    const companies = [
      { key: 'acme', trustedIssuers: [slow.trusted()] },
      { key: 'globex', trustedIssuers: [fast.trusted()] },
    ]
    const host = await started({
      ...trusting([]),
      tenantStore: { findTenant: (key) => ({ ...companies.find((one) => one.key === key), key, clients: [client] }) },
    })
    const ask = (idp: CompanyIssuer, key: string) =>
      host.token(key, {
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        client_id: client.clientId,
        assertion: idp.idJag(host.issuer(key)),
      })
    const waiting = Array.from({ length: 20 }, () => ask(slow, 'acme').then(({ status }) => status))
    expect((await ask(fast, 'globex')).status).toBe(200)
    expect(await host.signIn.health()).toMatchObject({ ready: true })
    expect(held.length).toBeGreaterThan(0)
    Object.assign(slow, { answer: (_: unknown, res: ServerResponse) => res.destroy() })
    for (const res of held) res.destroy()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([503]))
  })
})

const client = { clientId: 'assistant-app', redirectUris: ['https://assistant.example/callback'] }
