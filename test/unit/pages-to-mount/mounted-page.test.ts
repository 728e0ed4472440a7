import { type CustomerSignIn, MemoryTenantStore } from 'customer-sign-in'
import request from 'supertest'
import { ApiHost } from '../../support/api-host'
import { faultyStore, rejects } from '../../support/faulty-store'
import type { TestOptions } from '../../support/test-options'

const path = '/page'
const companies = [{ key: 'acme', id: 'acme', resources: ['https://acme.example/mcp'] }]

type PageName = keyof CustomerSignIn['pages']
const ofCustomer = { tenantKey: 'acme', subject: 'ada' }
const ofStaff = { tenantKey: 'acme', actor: 'staff:1' }
const pages: [PageName, Record<string, string>, string][] = [
  ['connectedApps', ofCustomer, 'GET, HEAD, POST'],
  ['connectAssistant', ofCustomer, 'GET, HEAD'],
  ['administration', ofStaff, 'GET, HEAD, POST'],
]

describe.each(pages)('whose page it is, at pages.%s,', (name, somebody, methods) => {
  async function asking(who: (...args: never[]) => unknown, options: TestOptions = {}) {
    const host = await ApiHost.start({ tenantStore: new MemoryTenantStore(companies), ...options })
    host.app.use(path, host.signIn.pages[name]({ who: who as never }))
    return { host, get: () => request(host.baseUrl).get(path) }
  }

  it('may be answered with a login page', async () => {
    const { get } = await asking((_req: never, res: { redirect(to: string): void }) => res.redirect('/login'))
    expect((await get().expect(302)).headers.location).toBe('/login')
  })

  it('is what the hook says, and is answered with a page that nobody keeps or frames', async () => {
    const { get } = await asking(() => somebody)
    const { headers, text } = await get().expect(200)
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      // No client waits for this window.
      'cross-origin-opener-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    })
    expect(text).toContain('<html lang="en"')
  })

  it.each([
    ['nothing, without an answer', () => undefined],
    ['no company', () => ({ ...somebody, tenantKey: undefined })],
    ['an empty company', () => ({ ...somebody, tenantKey: '' })],
    ['an empty name', () => ({ tenantKey: 'acme', [name === 'administration' ? 'actor' : 'subject']: '' })],
    ['a text', () => 'ada'],
    ['an error', () => Promise.reject(new Error('no session'))],
  ])('is a fault of the host if it is %s', async (_, who) => {
    const { host, get } = await asking(who, { hostTimeout: 0.1 })
    const { text, status } = await get()
    expect([status, text]).toEqual([503, expect.stringContaining('Please try again in a moment.')])
    expect(host.signIn.events).toMatchObject([{ type: 'error', where: `pages.${name}`, reason: 'hook_failed' }])
  })

  it('may be a session that has more', async () => {
    const { get } = await asking(() => ({ ...somebody, anyCustomer: true, cookie: {} }))
    await get().expect(200)
  })

  it('is an error page for an unknown company', async () => {
    expect((await (await asking(() => ({ ...somebody, tenantKey: 'nobody' }))).get()).status).toBe(404)
  })

  it('must be a function', async () => {
    const { signIn } = await ApiHost.start()
    expect(() => signIn.pages[name]({} as never)).toThrow(`pages.${name}.who is missing: it must be a function`)
  })

  it('is asked by no other method', async () => {
    const { host } = await asking(() => somebody)
    const { headers } = await request(host.baseUrl).delete(path).expect(405)
    expect(headers.allow).toBe(methods)
  })

  it('is an error page while a store fails that the page asks', async () => {
    const { store, always } = faultyStore()
    always('listGrants', rejects)
    const { host, get } = await asking(() => somebody, { tokenStore: store })
    expect((await get()).status).toBe(name === 'connectAssistant' ? 200 : 503)
    const event = {
      type: 'error',
      where: `pages.${name}`,
      tenantKey: 'acme',
      ...(name === 'connectedApps' && ofCustomer),
    }
    expect(host.signIn.events).toMatchObject(name === 'connectAssistant' ? [] : [event])
  })
})

it.each(['connectedApps', 'connectAssistant'] as const)(
  'pages.%s has no page without a subject of its own',
  async (name) => {
    const host = await ApiHost.start({ tenantStore: new MemoryTenantStore(companies) })
    host.app.use(path, host.signIn.pages[name]({ who: (() => ({ tenantKey: 'acme' })) as never }))
    const { status } = await request(host.baseUrl).get(path)
    // Everybody may read how an assistant is connected.
    expect(status).toBe(name === 'connectAssistant' ? 200 : 503)
  },
)
