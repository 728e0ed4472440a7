import { type ConsentHook, type ConsentRequest, MemoryTenantStore, OAuthError } from 'customer-sign-in'
import { Authorization, asTheySay, expectErrorRedirect } from '../../support/authorization'
import { recordsOf } from '../../support/records'
import { registered } from '../../support/registration'
import { clientId, expectTokens, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

/** Acme with its own client, for which customers are not asked. */
const ownClient = new MemoryTenantStore([
  { key: 'acme', clients: [{ clientId, redirectUris: [redirectUri], firstParty: true }] },
])

const consented = (consent: ConsentHook | false, options: object = {}) =>
  started({ authenticate: asTheySay, pages: { consent }, hostTimeout: 0.1 }, options)

describe('a consent function', () => {
  it('is told the customer, the tenant, the client, the scopes, the resource and the redirect URI', async () => {
    const asked: ConsentRequest[] = []
    const host = await consented((_req, _res, request) => {
      asked.push(request)
      return true
    })
    const authorization = new Authorization(host, { scope: 'calendar' })
    await authorization.open('customer-7')
    expect(asked).toMatchObject([
      {
        customer: { subject: 'customer-7' },
        tenant: { key: 'acme', name: 'Acme' },
        client: { clientId },
        redirectUri,
        scopes: ['calendar'],
        resource: host.issuer(),
        url: `${host.issuer()}/authorize?${authorization.query}`,
      },
    ])
  })

  it.each([
    ['true', () => true],
    ['true in a moment', async () => true],
  ])('that gives %s is followed by the code', async (_, consent) => {
    const host = await consented(consent)
    const authorization = new Authorization(host)
    expectTokens(await host.exchange(authorization.signedIn(await authorization.open())))
  })

  it.each([
    ['false', () => false],
    ['false in a moment', async () => false],
  ])('that gives %s is followed by access_denied', async (_, consent) => {
    const host = await consented(consent)
    expectErrorRedirect(await new Authorization(host).open(), 'access_denied', host.issuer())
    expect(await recordsOf(host.tokenStore)).toEqual([])
  })

  it('may show its own page, and decide when the customer has answered that', async () => {
    const host = await consented((_req, res, { form, proof }) => {
      if (form) return form.get('decision') === 'allow'
      res.end(proof)
      return undefined
    })
    const authorization = new Authorization(host)
    const { text: token } = await authorization.open().expect(200)
    const form = { action: `?${authorization.query}`, token }
    expectErrorRedirect(await authorization.answer(form, 'deny'), 'access_denied', host.issuer())
    expectTokens(await host.exchange(authorization.signedIn(await authorization.answer(form))))
  })

  it('may show its page after it returns, as template engines do', async () => {
    const host = await consented((_req, res) => {
      setImmediate(() => setImmediate(() => res.end('the host’s own page')))
      return undefined
    })
    expect((await new Authorization(host).open()).text).toBe('the host’s own page')
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('The database is down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('The database is down'))],
    ['gives nothing and answers nothing', () => undefined],
    ['gives what is no answer', () => 'yes' as never],
    ['gives 1', () => 1 as never],
  ])('that %s gives no code: the client is told to retry, and the operator is told', async (_, consent) => {
    const host = await consented(consent)
    const response = await new Authorization(host).open()
    const description = expectErrorRedirect(response, 'temporarily_unavailable', host.issuer())
    expect(description).not.toContain('database')
    expect(await host.told('error')).toMatchObject([{ where: 'authorize', tenantKey: 'acme' }])
    expect(await recordsOf(host.tokenStore)).toEqual([])
  })

  it('may refuse with an OAuthError of its own', async () => {
    const host = await consented(() => {
      throw new OAuthError('invalid_scope', 'Not on a Sunday')
    })
    const response = await new Authorization(host).open()
    expect(expectErrorRedirect(response, 'invalid_scope', host.issuer())).toBe('Not on a Sunday')
  })

  it('is not called if nobody is signed in, or with prompt=none', async () => {
    const consent = jest.fn(() => true)
    const host = await consented(consent, { authenticate: () => null })
    await new Authorization(host).open()
    const signedIn = await consented(consent)
    const response = await new Authorization(signedIn, { prompt: 'none' }).open()
    expectErrorRedirect(response, 'consent_required', signedIn.issuer())
    expect(consent).not.toHaveBeenCalled()
  })
})

describe('a customer is not asked', () => {
  it('if consent is false', async () => {
    const host = await consented(false)
    const authorization = new Authorization(host)
    expectTokens(await host.exchange(authorization.signedIn(await authorization.open())))
  })

  it('for the tenant’s own client, with or without prompt=none, however consent is set', async () => {
    const consent = jest.fn(() => false)
    for (const host of [
      await started({ authenticate: asTheySay, tenantStore: ownClient }),
      await consented(consent, { tenantStore: ownClient }),
    ]) {
      for (const prompt of [undefined, 'none']) {
        const authorization = new Authorization(host, { prompt })
        expectTokens(await host.exchange(authorization.signedIn(await authorization.open())))
      }
    }
    expect(consent).not.toHaveBeenCalled()
  })

  it('unless the client wants it with prompt=consent', async () => {
    for (const host of [await consented(false), await consented(false, { tenantStore: ownClient })]) {
      const authorization = new Authorization(host, { prompt: 'consent' })
      expectTokens(await host.exchange(await authorization.allowed()))
    }
  })
})

describe('the host', () => {
  it.each([
    ['allow', 'allowed'],
    ['deny', 'declined'],
  ] as const)('is told who pressed %s for which client, and nothing before', async (button, type) => {
    const host = await started({ authenticate: asTheySay })
    const authorization = new Authorization(host, { scope: 'calendar' })
    const form = await authorization.form()
    const told = async () => [...(await host.told('allowed')), ...(await host.told('declined'))]
    expect([await told(), await host.told('denied')]).toEqual([[], []])
    await authorization.answer(form, button)
    const about = { tenantKey: 'acme', tenantId: 'acme', clientId: 'assistant-app', subject: 'customer-1' }
    expect(await told()).toMatchObject([{ type, scopes: ['calendar'], resource: host.issuer(), ...about }])
    if (type === 'allowed') expect(await told()).toMatchObject([{ remembered: false }])
  })
})

describe('a customer is asked', () => {
  it('in each session, whatever they allowed in an earlier one', async () => {
    const host = await started({ authenticate: asTheySay })
    await new Authorization(host).allowed()
    await new Authorization(host)
      .open()
      .expect(200)
      .expect(/<button name="decision" value="allow"/)
  })

  it('for a registered client that claims to be the tenant’s own', async () => {
    const host = await started({ authenticate: asTheySay })
    await new Authorization(host, { client_id: await registered(host, { firstParty: true }) }).form()
  })
})
