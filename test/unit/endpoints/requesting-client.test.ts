import { MemoryTenantStore } from 'customer-sign-in'
import { expectError, expectTokens, type FormFields, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64')
const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)

/** Redeems a code of this client with a request that names the client in this way. */
async function redeemedBy(clientId: string, authorization: string | undefined, fields: FormFields = {}) {
  const clients = [clientId, 'another-app'].map((id) => ({ clientId: id, redirectUris: [redirectUri] }))
  const host = await started({ tenantStore: new MemoryTenantStore([{ key: 'acme', clients }]) })
  const signedIn = await host.asCustomer({ clientId })
  const exchange = host.exchange(signedIn, { client_id: undefined, ...fields })
  return authorization === undefined ? exchange : exchange.set('Authorization', authorization)
}

describe('a client that names itself by HTTP Basic', () => {
  it.each([
    ['without a password', `Basic ${base64('app:')}`],
    ['with a password, which is ignored', `Basic ${base64('app:secret')}`],
    ['with a password that has colons', `Basic ${base64('app:a:b::')}`],
    ['with the scheme in other capitals', `bASIC ${base64('app:')}`],
    ['with more than one space', `Basic   ${base64('app:')}`],
    ['without the padding of base64', `Basic ${base64('app:').replaceAll('=', '')}`],
  ])('is known %s', async (_, authorization) => {
    expectTokens(await redeemedBy('app', authorization))
  })

  it.each(['an app', 'a+b', 'a:b', '100%', 'https://app.example/client?v=1&x=%20', '~!*()', 'app%'])(
    'is known by a form-encoded client id: %s',
    async (clientId) => {
      expectTokens(await redeemedBy(clientId, `Basic ${base64(`${formEncoded(clientId)}:`)}`))
    },
  )

  it.each(['100%', 'a%2', 'a%zz'])('is known by a client id that it could not have encoded: %s', async (clientId) => {
    expectTokens(await redeemedBy(clientId, `Basic ${base64(`${clientId}:`)}`))
  })

  it('need not send client_id as well, but may send the same one', async () => {
    expectTokens(await redeemedBy('app', `Basic ${base64('app:')}`, { client_id: 'app' }))
    expectTokens(await redeemedBy('app', `Basic ${base64('app:')}`, { client_id: '' }))
  })

  it.each(['another-app', 'App', 'app '])('must not name another client in client_id: %j', async (clientId) => {
    const response = await redeemedBy('app', `Basic ${base64('app:')}`, { client_id: clientId })
    expect(expectError(response, 400, 'invalid_request')).toMatch(/client_id/)
  })

  it.each([
    ['no username', `Basic ${base64(':secret')}`],
    ['no colon', `Basic ${base64('app')}`],
    ['nothing', 'Basic '],
    ['no base64', 'Basic !!!!'],
  ])('is told that its header has %s, even if it sends client_id', async (_, authorization) => {
    const response = await redeemedBy('app', authorization, { client_id: 'app' })
    expect(expectError(response, 400, 'invalid_request')).toMatch(/Authorization/)
  })

  it.each([
    ['not of ASCII', base64('äpp:')],
    ['not of UTF-8', base64(Buffer.from([0xff, 0xfe, 0x3a]))],
    ['with a NUL byte', base64('app\u0000:')],
    ['with an encoded NUL byte', base64('app%00:')],
    ['longer than 2048 characters', base64(`${'a'.repeat(2049)}:`)],
  ])('is refused if its username is %s', async (_, credentials) => {
    expectError(await redeemedBy('app', `Basic ${credentials}`), 400, 'invalid_request')
  })
})

describe('a client that names itself by client_id', () => {
  it.each(['app', 'an app', 'a+b', 'https://app.example/client', '~!"#$%&()*', 'x'.repeat(2048)])(
    'is known: %.40s',
    async (clientId) => {
      expectTokens(await redeemedBy(clientId, undefined, { client_id: clientId }))
    },
  )

  it.each([`Bearer ${base64('app:')}`, 'Digest username="other"', 'Negotiate'])(
    'is known whatever another scheme says: %s',
    async (authorization) => {
      expectTokens(await redeemedBy('app', authorization, { client_id: 'app' }))
    },
  )

  it('is told if client_id is missing, and if there is no such client', async () => {
    expect(expectError(await redeemedBy('app', undefined), 400, 'invalid_request')).toMatch(/client_id is missing/)
    const unknown = await redeemedBy('app', undefined, { client_id: 'App' })
    expectError(unknown, 401, 'invalid_client')
    expect(unknown.headers['www-authenticate']).toMatch(/^Basic realm="[^"]+"$/)
  })
})

it('no event contains the password of a client that is refused', async () => {
  const host = await started()
  await host.refresh('csir_', { client_id: undefined }).set('Authorization', `Basic ${base64('nobody:hunter2')}`)
  expect(await host.told('denied')).toMatchObject([{ error: 'invalid_client', detail: { clientId: 'nobody' } }])
  expect(JSON.stringify(host.events)).not.toMatch(/hunter2|bm9ib2R5/)
})
