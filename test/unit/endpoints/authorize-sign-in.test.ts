import { type CustomerSignInOptions, OAuthError, type SignInRequest } from 'customer-sign-in'
import express, { type Response } from 'express'
import request from 'supertest'
import { Authorization, expectErrorRedirect } from '../../support/authorization'
import { consentForm, textOf } from '../../support/consent-form'
import { HostApp, testSignIn } from '../../support/host-app'
import { expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

type Authenticate = NonNullable<CustomerSignInOptions['authenticate']>

const ada = { subject: 'customer-1', name: 'Ada' }

/** A host with a login page. Nobody is logged in until the test calls `logIn`. */
async function startedWithLogin() {
  const seen: SignInRequest[] = []
  let customer: typeof ada | undefined
  const authenticate: Authenticate = (_req, res, request) => {
    seen.push(request)
    if (customer && !request.prompt.includes('login')) return customer
    if (!request.prompt.includes('none')) res.writeHead(302, { Location: '/login' }).end()
    return undefined
  }
  const host = await started({ authenticate })
  const logIn = () => {
    customer = ada
  }
  const lastUrl = () => seen.at(-1)?.url ?? ''
  return { host, seen, logIn, lastUrl }
}

describe('authenticate', () => {
  it('is told everything that a login page may want to show', async () => {
    const { host, seen } = await startedWithLogin()
    await new Authorization(host, { scope: 'calendar', login_hint: 'ada@example.com' }).open()
    expect(seen).toMatchObject([
      {
        tenant: { key: 'acme', name: 'Acme' },
        client: { clientId: 'assistant-app' },
        scopes: ['calendar'],
        resource: host.issuer(),
        prompt: [],
        loginHint: 'ada@example.com',
        language: 'en',
      },
    ])
  })

  it('may take longer than other functions of the host', async () => {
    const authenticate: Authenticate = () => new Promise((resolve) => setTimeout(resolve, 150, ada))
    const host = await started({ authenticate, hostTimeout: 0.1 })
    consentForm(await new Authorization(host).open().expect(200))
  })

  it('may respond with the login page, and request.url leads back to the whole request', async () => {
    const { host, logIn, lastUrl } = await startedWithLogin()
    const authorization = new Authorization(host, { state: 'a+b &=\u202e', scope: 'calendar' })
    await authorization.open().expect(302).expect('Location', '/login')
    expect(lastUrl().startsWith(`${host.issuer()}/authorize?`)).toBe(true)
    logIn()
    const page = await request(lastUrl()).get('').expect(200)
    expect(textOf(page.text)).toContain('Ada')
    const again = new URL(lastUrl()).searchParams
    expect([...again]).toEqual([...new URLSearchParams(authorization.query)])
    expect(await host.told('error')).toEqual([])
  })

  it('that fails after it has sent a page leaves the whole page to the browser', async () => {
    const page = 'x'.repeat(5_000_000)
    const authenticate: Authenticate = (_req, res) => {
      res.end(page)
      throw new Error('The login has failed')
    }
    const host = await started({ authenticate })
    const { text } = await new Authorization(host).open().expect(200)
    expect(text).toHaveLength(page.length)
  })

  it('that fails inside a page ends the connection, and the operator is told why once', async () => {
    const authenticate: Authenticate = (_req, res) => {
      res.write('The beginning of a page')
      throw new Error('The login has failed')
    }
    const host = await started({ authenticate })
    await expect(new Authorization(host).open()).rejects.toThrow()
    expect(await host.told('error')).toMatchObject([{ error: { message: 'The login has failed' } }])
  })

  it.each(['undefined', 'null'])(
    'may answer later than it ends, as template engines do, and give %s',
    async (given) => {
      const authenticate: Authenticate = (_req, res) => {
        setImmediate(() => setImmediate(() => res.end('the login page')))
        return given === 'null' ? null : undefined
      }
      const host = await started({ authenticate })
      const response = await new Authorization(host).open()
      expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: 'the login page' })
    },
  )

  it('may render its login page with Express, which responds later', async () => {
    const app = await HostApp.start((origin) => {
      const authenticate: Authenticate = (_req, res) => (res as Response).render(__filename) as undefined
      return express()
        .engine('ts', (_path, _options, done) => done(null, 'the login page'))
        .use(testSignIn({ baseUrl: origin, authenticate }))
    })
    const { status, text } = await new Authorization({ url: app.origin }).open()
    await app.stop()
    expect({ status, text }).toEqual({ status: 200, text: 'the login page' })
  })

  it.each([
    ['gives nothing and answers nothing', () => undefined],
    ['gives null and answers nothing', () => null],
    [
      'throws',
      () => {
        throw new Error('The session store is down')
      },
    ],
    ['rejects', () => Promise.reject(new Error('The session store is down'))],
    ['gives a customer without a subject', () => ({ name: 'Ada' }) as never],
    ['gives a customer with an empty subject', () => ({ subject: '' })],
    ['gives a customer whose subject is a number', () => ({ subject: 7 }) as never],
    ['gives a customer whose name is a number', () => ({ subject: 'customer-1', name: 7 }) as never],
    ['gives claims that JSON cannot carry', () => ({ subject: 'customer-1', claims: { large: 1n } })],
  ])(
    'that %s is a fault of the host: the client is told to retry, and the operator is told',
    async (_, authenticate) => {
      const host = await started({ authenticate: authenticate as Authenticate, hostTimeout: 0.1 })
      const description = expectErrorRedirect(
        await new Authorization(host).open(),
        'temporarily_unavailable',
        host.issuer(),
      )
      expect(description).not.toMatch(/session store|subject|claims/)
      expect(await host.told('error')).toMatchObject([
        { where: 'authorize', tenantKey: 'acme', error: expect.any(Error) },
      ])
    },
  )

  it.each([
    [
      'throws',
      () => {
        throw new OAuthError('access_denied', 'The customer is locked')
      },
    ],
    ['rejects with', () => Promise.reject(new OAuthError('access_denied', 'The customer is locked'))],
  ])('%s an OAuthError to refuse the customer', async (_, authenticate) => {
    const host = await started({ authenticate })
    const description = expectErrorRedirect(await new Authorization(host).open(), 'access_denied', host.issuer())
    expect(description).toBe('The customer is locked')
  })

  it('that fails halfway through its page leaves no browser waiting', async () => {
    const authenticate: Authenticate = (_req, res) => {
      res.writeHead(200).write('half of a p')
      throw new Error('The template is broken')
    }
    const host = await started({ authenticate })
    await expect(new Authorization(host).open()).rejects.toThrow(/aborted|hang up/)
  })
})

describe('prompt', () => {
  it('login asks a logged-in customer to log in again, once', async () => {
    const { host, seen, logIn, lastUrl } = await startedWithLogin()
    logIn()
    const authorization = new Authorization(host, { prompt: 'login' })
    await authorization.open().expect(302)
    expect(seen[0]?.prompt).toEqual(['login'])
    await request(lastUrl()).get('').expect(200)
    expect(seen[1]?.prompt).toEqual([])
  })

  it.each(['login consent', 'consent login', 'login'])(
    '%s is not asked for again by the page’s own answer',
    async (prompt) => {
      const { host, logIn, lastUrl } = await startedWithLogin()
      logIn()
      const authorization = new Authorization(host, { prompt })
      await authorization.open().expect(302)
      const back = new URL(lastUrl())
      expect(back.searchParams.get('prompt')).toBe(prompt.includes('consent') ? 'consent' : '')
      const { text } = await request(back.href).get('').expect(200)
      const response = await authorization.answer(consentForm({ text }))
      expectTokens(await host.exchange(authorization.signedIn(response)))
    },
  )

  it('login is not asked for again, and every other value is', async () => {
    const { host, seen, lastUrl } = await startedWithLogin()
    await new Authorization(host, { prompt: 'consent login select_account' }).open().expect(302)
    await request(lastUrl()).get('')
    expect(seen.at(-1)?.prompt).toEqual(['consent', 'select_account'])
  })

  it.each(['pro%6dpt=login', 'prompt=log%69n', 'prompt=login+login', 'prompt=%6c%6f%67%69%6e'])(
    'login, written %s, is not asked for again',
    async (written) => {
      const { host, seen, lastUrl } = await startedWithLogin()
      const { path } = new Authorization(host)
      await request(host.url).get(`${path}&${written}`).expect(302)
      expect(seen.at(-1)?.prompt).toContain('login')
      await request(lastUrl()).get('')
      expect(seen.at(-1)?.prompt).toEqual([])
    },
  )

  it('none shows no login page', async () => {
    const { host } = await startedWithLogin()
    expectErrorRedirect(await new Authorization(host, { prompt: 'none' }).open(), 'login_required', host.issuer())
    expect(await host.told('error')).toEqual([])
  })

  it('none shows no consent page', async () => {
    const { host, logIn } = await startedWithLogin()
    logIn()
    expectErrorRedirect(await new Authorization(host, { prompt: 'none' }).open(), 'consent_required', host.issuer())
  })

  it('with an unknown value changes nothing', async () => {
    const { host, seen, logIn } = await startedWithLogin()
    logIn()
    await new Authorization(host, { prompt: 'select_account create' }).open().expect(200)
    expect(seen[0]?.prompt).toEqual(['select_account', 'create'])
  })
})
