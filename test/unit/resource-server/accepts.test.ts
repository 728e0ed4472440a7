import { type Client, MemoryTenantStore, newClientSecret, type SubjectKind } from 'customer-sign-in'
import express, { type Request, type Response } from 'express'
import request from 'supertest'
import { basic } from '../../support/confidential-clients'
import { clientId, expectError, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

const baseUrl = 'https://assistants.example'
const { secret, hash } = newClientSecret()
const service = { clientId: 'nightly', grantTypes: ['client_credentials'], secretHashes: [hash] } as object as Client
const clients = [{ clientId, redirectUris: [redirectUri] }, service]

/** A host, and the access tokens of a customer and of a client that acts for nobody but itself. */
async function callers() {
  const host = await started({
    baseUrl,
    tenantStore: new MemoryTenantStore([{ key: 'acme', id: 'acme', clients, resources: [`${baseUrl}/acme`] }]),
    clients: { authentication: ['none', 'client_secret_basic'] },
    scopes: ['read'],
  })
  const { access_token: customer } = await host.connected()
  const { body } = await host
    .token('acme', { grant_type: 'client_credentials' })
    .set('Authorization', basic('nightly', secret))
  return { host, customer, client: String(body.access_token) }
}

type Accepting = { accepts?: SubjectKind[] }

/** Calls an API behind a guard. */
function call(
  host: TestSignIn,
  guard: 'requireAccessToken' | 'protectedResource',
  accepting: Accepting,
  token: string,
) {
  const { signIn } = host
  const middleware =
    guard === 'requireAccessToken'
      ? signIn.requireAccessToken({ tenantKey: 'acme', ...accepting })
      : signIn.protectedResource({ path: '/:tenantKey', ...accepting })
  const app = express().use(middleware, (req: Request, res: Response) => res.json({ kind: Object(req).auth.kind }))
  return request(app).get('/acme').set('Authorization', `Bearer ${token}`)
}

describe.each(['requireAccessToken', 'protectedResource'] as const)('%s', (guard) => {
  it.each<[string, Accepting, SubjectKind[]]>([
    ['without accepts lets only customers pass', {}, ['customer']],
    ['that accepts clients lets only clients pass', { accepts: ['client'] }, ['client']],
    ['that accepts both lets both pass', { accepts: ['customer', 'client'] }, ['customer', 'client']],
  ])('%s', async (_, accepting, passing) => {
    const { host, ...tokens } = await callers()
    for (const kind of ['customer', 'client'] as const) {
      const response = await call(host, guard, accepting, tokens[kind])
      if (passing.includes(kind)) expect({ status: response.status, ...response.body }).toEqual({ status: 200, kind })
      else expectError(response, 403, 'insufficient_scope')
    }
  })

  it('names to the host who was refused, and why', async () => {
    const { host, client } = await callers()
    const response = await call(host, guard, {}, client)
    expect(response.body.error_description).toBe('This API accepts only access tokens for a customer')
    expect(response.headers['www-authenticate']).toContain('Bearer error="insufficient_scope"')
    const reason = { reason: 'subject_not_accepted', detail: { asked: 'client', accepted: ['customer'] } }
    expect(await host.told('denied')).toMatchObject([{ where: guard, subject: 'client:nightly', ...reason }])
  })

  it.each(['customer', 'client', 'workload'])('takes %s for accepts', async (kind) => {
    const { host } = await callers()
    expect((await call(host, guard, { accepts: [kind as 'client'] }, '')).status).toBe(401)
  })

  it.each([[[]], [['person']], ['client'], [['client', 'client']]])('does not take %j for accepts', async (accepts) => {
    const { host } = await callers()
    expect(() => call(host, guard, { accepts } as never, '')).toThrow(`${guard}.accepts`)
  })
})

describe('verifyAccessToken', () => {
  it('lets only customers pass unless it accepts others, and says who it is', async () => {
    const { host, customer, client } = await callers()
    const verified = (token: string, accepting: Accepting = {}) =>
      host.signIn.verifyAccessToken(token, { tenantKey: 'acme', ...accepting })
    expect(await verified(customer)).toMatchObject({ kind: 'customer', subject: 'customer-1' })
    await expect(verified(client)).rejects.toMatchObject({ code: 'insufficient_scope', reason: 'subject_not_accepted' })
    expect(await verified(client, { accepts: ['client'] })).toMatchObject({ kind: 'client', subject: 'client:nightly' })
    await expect(verified(customer, { accepts: ['client'] })).rejects.toMatchObject({ reason: 'subject_not_accepted' })
  })
})

describe('verifier', () => {
  it('lets only customers pass unless it accepts others', async () => {
    const { host, client } = await callers()
    const of = { tenantKey: 'acme', invalidToken: (description: string) => new RangeError(description) }
    await expect(host.signIn.verifier(of).verifyAccessToken(client)).rejects.toBeInstanceOf(RangeError)
    expect(await host.told('denied')).toMatchObject([{ where: 'verifier', reason: 'subject_not_accepted' }])
    const accepting = host.signIn.verifier({ ...of, accepts: ['client'] })
    expect(await accepting.verifyAccessToken(client)).toMatchObject({ kind: 'client', clientId: 'nightly' })
  })
})

describe('requireScopes', () => {
  it('works for a client that a guard has let through', async () => {
    const { host, client } = await callers()
    const app = express()
    app.use(
      host.signIn.requireAccessToken({ tenantKey: 'acme', accepts: ['client'] }),
      (req: Request, res: Response) => {
        host.signIn.requireScopes(req, 'read')
        expect(() => host.signIn.requireScopes(req, 'write')).toThrow('The access token must have the scope write')
        res.json({})
      },
    )
    await request(app).get('/').set('Authorization', `Bearer ${client}`).expect(200)
    expect(await host.told('denied')).toMatchObject([{ where: 'requireScopes', subject: 'client:nightly' }])
  })
})
