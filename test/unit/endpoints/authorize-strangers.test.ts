import { type CustomerSignInOptions, OAuthError } from 'customer-sign-in'
import request, { type Response } from 'supertest'
import { Authorization, asTheySay, expectErrorPage, expectRedirect } from '../../support/authorization'
import { DocumentServer } from '../../support/document-server'
import { trusted } from '../../support/faulty-requests'
import { faultyStore, rejects } from '../../support/faulty-store'
import { registered } from '../../support/registration'
import { type FormFields, redirectUri, type TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'

type Authenticate = NonNullable<CustomerSignInOptions['authenticate']>

const loginPage: Authenticate = (_req, res) => {
  res.writeHead(302, { Location: '/login' }).end()
  return undefined
}

/** Clients that nobody vouches for, by the way in which they became known. Each gives the parameters that name the client. */
const strangers: [which: string, known: (host: TestSignIn) => Promise<FormFields>][] = [
  ['registered itself', (host) => registersWith(redirectUri, host)],
  ['registered itself, on the customer’s machine', (host) => registersWith('http://127.0.0.1/callback', host)],
  ['registered itself, with an app’s own scheme', (host) => registersWith('com.example.app:/callback', host)],
  ['has a metadata document', async () => ({ client_id: (await DocumentServer.start()).url() })],
]

async function registersWith(redirect_uri: string, host: TestSignIn): Promise<FormFields> {
  return { client_id: await registered(host, { redirect_uris: [redirect_uri] }), redirect_uri }
}

const startedWith = (options: Partial<CustomerSignInOptions> = {}) =>
  started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } }, options)

/** Everything in which two responses can differ, except the date. */
function shown({ status, headers: { date, ...headers }, text }: Response): object {
  return { status, headers, text }
}

describe.each(strangers)('before anybody has logged in, a client that %s', (_, known) => {
  it('gets no redirect, whatever is wrong with its request: a page says what', async () => {
    const authenticate = jest.fn(asTheySay)
    const host = await startedWith({ authenticate })
    const client = await known(host)
    for (const [, parameters, error, named] of trusted) {
      const page = expectErrorPage(await new Authorization(host, { ...client, ...parameters }).open())
      expect(page).toContain(`(${error})`)
      expect(page).toMatch(named)
    }
    expectErrorPage(await new Authorization(host, { ...client, state: ['one', 'two'] }).open())
    expect(authenticate).not.toHaveBeenCalled()
    expect(await host.told('denied')).toHaveLength(trusted.length + 1)
  })

  it('gets no redirect by a form either', async () => {
    const host = await startedWith({ authenticate: loginPage })
    const { path } = new Authorization(host, { ...(await known(host)), scope: 'admin' })
    expectErrorPage(await request(host.url).post(path).type('form').send('decision=deny'))
  })

  it.each<[does: string, authenticate: Authenticate, status: number]>([
    ['is out of order', () => Promise.reject(new Error('The session store is down')), 503],
    ['gives no customer and answers nothing', () => null, 503],
    ['gives a customer that is none', () => ({ subject: '' }), 503],
    ['refuses', () => Promise.reject(new OAuthError('access_denied', 'Not from here', { status: 403 })), 403],
  ])('gets no redirect if the host’s login %s', async (_, authenticate, status) => {
    const host = await startedWith({ authenticate, hostTimeout: 0.1 })
    const page = expectErrorPage(await new Authorization(host, await known(host)).open(), status)
    expect(page).not.toContain('session store')
  })

  it('learns nothing by prompt=none: the response is always the same page, and the host is not asked', async () => {
    const hosts = { 'who is signed in': asTheySay, nobody: () => null, 'a host out of order': () => Promise.reject() }
    const answers = []
    for (const each of Object.values(hosts)) {
      const authenticate = jest.fn(each as Authenticate)
      const host = await startedWith({ authenticate })
      const response = await new Authorization(host, { ...(await known(host)), prompt: 'none' }).open()
      expect(expectErrorPage(response)).toContain('(interaction_required)')
      expect(authenticate).not.toHaveBeenCalled()
      expect(await host.told('denied')).toMatchObject([{ where: 'authorize', error: 'interaction_required' }])
      answers.push(shown(response))
    }
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })
})

describe.each(strangers)('once the customer has logged in, a client that %s', (_, known) => {
  /** What the client gets once the customer has pressed a button. */
  async function told(host: TestSignIn, decision: 'allow' | 'deny'): Promise<object> {
    const parameters = await known(host)
    const authorization = new Authorization(host, parameters)
    const response = await authorization.answer(await authorization.form(), decision)
    const { href, searchParams } = expectRedirect(response)
    expect(href.startsWith(String(parameters.redirect_uri ?? redirectUri))).toBe(true)
    return Object.fromEntries(searchParams)
  }

  it('is told if the customer refuses', async () => {
    const host = await startedWith()
    expect(await told(host, 'deny')).toMatchObject({ error: 'access_denied', state: 'a state', iss: host.issuer() })
  })

  it('is told to retry if a store fails', async () => {
    const { store, always } = faultyStore()
    const host = await startedWith({ tokenStore: store })
    always('createGrant', rejects)
    expect(await told(host, 'allow')).toMatchObject({ error: 'temporarily_unavailable', iss: host.issuer() })
  })

  it('is told what the host’s own consent function says', async () => {
    const consent = () => {
      throw new OAuthError('access_denied', 'Not on a Sunday')
    }
    const host = await startedWith({ pages: { consent } })
    const { searchParams } = expectRedirect(await new Authorization(host, await known(host)).open())
    expect(searchParams.get('error_description')).toBe('Not on a Sunday')
  })
})

describe('a page that says what is wrong with a request', () => {
  it('repeats no text of a link beyond one word', async () => {
    const host = await startedWith()
    const [client_id, lie] = [await registered(host), 'Your account is locked, call 555']
    for (const parameters of [{ [lie]: ['a', 'b'] }, { scope: lie }, { prompt: lie, resource: lie }]) {
      const page = expectErrorPage(await new Authorization(host, { client_id, ...parameters }).open())
      expect(page).not.toMatch(/account|locked|call/)
    }
  })
})
