import type { CustomerSignInOptions } from 'customer-sign-in'
import { Authorization, asTheySay, expectErrorRedirect } from '../../support/authorization'
import { expectError, expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

const subject = 'customer-1'

/** Asks for a code at a host whose hook gives this value. @returns What the operator is told. */
async function toldOf(options: object) {
  const host = await started({ authenticate: asTheySay, ...options } as Partial<CustomerSignInOptions>)
  const response = await new Authorization(host).open()
  expectErrorRedirect(response, 'temporarily_unavailable', host.issuer())
  const [event] = await host.told('error')
  expect(event?.reason).toBe('hook_failed')
  return event?.error as Error & { option?: string }
}

describe('what authenticate gives', () => {
  it.each<[string, unknown, string]>([
    [
      'nobody by a name',
      'customer-1',
      'authenticate must return a customer, null or nothing, but returned a string of 10 characters',
    ],
    ['true', true, 'authenticate must return a customer, null or nothing, but returned true'],
    ['false', false, 'authenticate must return a customer, null or nothing, but returned false'],
    [
      'an empty text',
      '',
      'authenticate must return a customer, null or nothing, but returned a string of 0 characters',
    ],
    ['a list', [{ subject }], 'authenticate must return a customer, null or nothing, but returned an array of 1 item'],
    ['no subject', {}, 'customer.subject is missing: it must be a string that is not empty'],
    ['an empty subject', { subject: '' }, 'customer.subject must be a string that is not empty, but is ""'],
    ['null for a subject', { subject: null }, 'customer.subject must be a string that is not empty, but is null'],
    ['a number as the subject', { subject: 7 }, 'customer.subject must be a string that is not empty, but is 7'],
    [
      'a subject that was cut in the middle of a character',
      { subject: '😀'.slice(0, 1) },
      'customer.subject has half of a surrogate pair: take care not to cut a text in the middle of a character',
    ],
    [
      'the subject of a client',
      { subject: 'client:nightly' },
      'customer.subject must be text that does not begin with client: or workload:, but is a string of 14 characters',
    ],
    ['a name that is no text', { subject, name: { first: 'Ada' } }, 'customer.name must be a string, but is an object'],
    [
      'claims in a list',
      { subject, claims: ['gold'] },
      'customer.claims must be an object of plain JSON, but is an array of 1 item',
    ],
    [
      'claims that JSON cannot carry',
      { subject, claims: { balance: 1n } },
      'customer.claims must be an object of plain JSON, but is an object',
    ],
    [
      'a claim that says who has vouched for the customer',
      { subject, claims: { trusted_issuer: 'https://login.acme.example' } },
      'customer.claims.trusted_issuer must be omitted: it says which trusted issuer has vouched for the customer',
    ],
    [
      'a whole row',
      { subject, passwordHash: 'hunter2' },
      'customer.passwordHash is not a member of customer. The members are subject, name and claims',
    ],
    [
      'a misspelt member',
      { subject, claim: {} },
      'customer.claim is not a member of customer. Did you mean claims? The members are subject, name and claims',
    ],
  ])('is refused if it is %s, and the operator is told why', async (_, customer, message) => {
    const error = await toldOf({ authenticate: () => customer })
    expect(error).toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringContaining(`customer-sign-in: ${message}`),
    })
  })

  it('can be a database row with null for absent values', async () => {
    const authenticate = () => ({ subject, name: null, claims: null }) as never
    const host = await started({ authenticate })
    expectTokens(await host.exchange(await new Authorization(host).allowed()))
  })
})

describe('what consent gives', () => {
  it.each<[string, unknown, string]>([
    ['a text', 'false', 'a string of 5 characters'],
    ['null', null, 'null'],
    ['an object', { allowed: true }, 'an object'],
    ['1', 1, '1'],
  ])('is no answer if it is %s, and the operator is told why', async (_, answer, shown) => {
    const { message } = await toldOf({ pages: { consent: () => answer } })
    expect(message).toContain(
      `customer-sign-in: pages.consent must return true, false or nothing, but returned ${shown}`,
    )
  })
})

describe('a hook that gives nothing and does not answer the request', () => {
  it.each([
    [{ authenticate: () => undefined }, 'authenticate returned no customer and did not answer the request'],
    [
      { pages: { consent: () => undefined } },
      'pages.consent returned neither true nor false and did not answer the request',
    ],
  ])('is the host’s fault: %j', async (hook, message) => {
    expect((await toldOf({ ...hook, hostTimeout: 0.1 })).message).toBe(message)
  })
})

describe('what accessTokenClaims gives', () => {
  it.each<[string, unknown, string]>([
    ['a text', 'gold', 'a string of 4 characters'],
    ['a list', ['gold'], 'an array of 1 item'],
    ['what JSON cannot carry', { balance: 1n }, 'an object'],
  ])('is refused if it is %s, and no credential is used up', async (_, claims, shown) => {
    let given: unknown = {}
    const host = await started({ accessTokenClaims: () => given as never })
    const { refresh_token } = await host.connected()
    given = claims
    expectError(await host.refresh(refresh_token), 503, 'temporarily_unavailable')
    const [event] = await host.told('error')
    expect(event?.error.message).toContain(
      `customer-sign-in: accessTokenClaims must return an object of plain JSON, or nothing, but returned ${shown}`,
    )
    given = null
    expectTokens(await host.refresh(refresh_token))
  })
})
