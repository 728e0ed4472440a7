import { type AuthenticateHook, MemoryTenantStore } from 'customer-sign-in'
import { Authorization, expectRedirect } from '../../support/authorization'
import { textOf } from '../../support/consent-form'
import { clientId, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'
import type { TestOptions } from '../../support/test-options'

type Asked = Parameters<AuthenticateHook>[2]

/** A host whose customers are who the browser says, and who log in anew when they are asked to. */
async function host(options: Partial<TestOptions> = {}) {
  const asked: Asked[] = []
  const authenticate: AuthenticateHook = ({ headers }, res, request) => {
    asked.push(request)
    if (!request.prompt.includes('login')) return { subject: String(headers['x-customer']), name: 'Ada Lovelace' }
    return void res.writeHead(303, { Location: `/login?next=${encodeURIComponent(request.url)}` }).end()
  }
  const given: TestOptions = { authenticate, pages: { switchAccount: true } }
  return { asked, signIn: await started(given, options) }
}

/** Presses "Use another account". */
function press(authorization: Authorization, form: { action: string; token: string }, customer: string) {
  return authorization.answer(form, 'switch' as never, customer)
}

describe('a customer who wants to use another account', () => {
  it('finds a button for that beside their name, where the host can do it', async () => {
    const { signIn } = await host()
    const { text } = await new Authorization(signIn).open('ada')
    expect(textOf(text)).toContain('Use another account')
    const without = await host({ pages: { switchAccount: false } })
    expect((await new Authorization(without.signIn).open('ada')).text).not.toContain('another account')
  })

  it('gets the login, and comes back to a page that asks, with nothing allowed before', async () => {
    const clients = [{ clientId, redirectUris: [redirectUri], firstParty: true }]
    const { asked, signIn } = await host({ tenantStore: new MemoryTenantStore([{ key: 'acme', clients }]) })
    const authorization = new Authorization(signIn, { prompt: 'consent', scope: 'profile' })
    const response = await press(authorization, await authorization.form('ada'), 'ada')
    expect(response.status).toBe(303)
    const { switchAccount, prompt, url } = asked.at(-1) as Asked
    expect({ switchAccount, prompt }).toEqual({ switchAccount: true, prompt: ['login', 'consent'] })
    expect(new URL(url).searchParams.getAll('prompt')).toEqual(['consent'])
    // Without the button, the client that the company vouches for would get its code at once.
    expect((await new Authorization(signIn).open('bob')).status).toBe(303)
    expect((await fetch(url, { headers: { 'X-Customer': 'bob' } })).status).toBe(200)
    expect(await signIn.told('allowed')).toEqual([])
  })

  it('leaves a page that allows nothing for the next customer', async () => {
    const { signIn } = await host()
    const authorization = new Authorization(signIn)
    const form = await authorization.form('ada')
    await press(authorization, form, 'ada')
    const response = await authorization.answer(form, 'allow', 'bob')
    expect(response.status).toBe(200)
    expect(await signIn.told('allowed')).toEqual([])
  })

  it('is one who has pressed the button: no link and no form of another site does it', async () => {
    const { asked, signIn } = await host()
    const authorization = new Authorization(signIn, { decision: 'switch', consent_token: 'a token' })
    expect((await authorization.open('ada')).status).toBe(200)
    const plain = new Authorization(signIn)
    const form = await plain.form('ada')
    expect((await press(plain, { ...form, token: 'another' }, 'ada')).status).toBe(200)
    expect((await press(plain, form, 'bob')).status).toBe(200)
    expect(asked.map(({ switchAccount }) => switchAccount)).not.toContain(true)
  })

  it('sees the page again if the host goes on with an account at once', async () => {
    const { signIn } = await host({ authenticate: () => ({ subject: 'ada', name: 'Ada Lovelace' }) })
    const authorization = new Authorization(signIn)
    const response = await press(authorization, await authorization.form('ada'), 'ada')
    expect(response.status).toBe(200)
    expect(textOf(response.text)).toContain('You are signed in as Ada Lovelace.')
    expect(await signIn.told('declined')).toEqual([])
  })

  it('has refused, as any unknown button does, where the host does not offer it', async () => {
    const { signIn } = await host({ pages: { switchAccount: false } })
    const authorization = new Authorization(signIn)
    const response = await press(authorization, await authorization.form('ada'), 'ada')
    expect(expectRedirect(response).searchParams.get('error')).toBe('access_denied')
  })
})
