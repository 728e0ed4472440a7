import { createHash } from 'node:crypto'
import { MemoryTenantStore, type Tenant } from 'customer-sign-in'
import request from 'supertest'
import { packagedWords } from '../../../src/pages/languages'
import { ApiHost } from '../../support/api-host'
import { textOf } from '../../support/consent-form'
import { redirectUri } from '../../support/sign-in'

const path = '/connect'
const address = 'https://acme.example/v1/acme/mcp'
const claudeCallback = 'https://claude.ai/api/mcp/auth_callback'

/** The page of a company, in a language. */
async function pageOf(record: Partial<Tenant> = {}, language = 'en') {
  const company = {
    key: 'acme',
    id: 'acme',
    name: 'Acme Air',
    resources: [address, 'https://acme.example/api'],
    ...record,
  }
  const host = await ApiHost.start({ tenantStore: new MemoryTenantStore([company]) })
  host.app.use(path, host.signIn.pages.connectAssistant({ who: () => ({ tenantKey: 'acme' }) }))
  const { text, headers } = await request(host.baseUrl).get(path).set('Accept-Language', language).expect(200)
  return { host, html: text, text: textOf(text.replace(/<script>.*<\/script>/s, '')), headers }
}

describe('the page "Connect an assistant"', () => {
  it.each(Object.entries(packagedWords))('has in %s everything that signIn.connect gives', async (tag, words) => {
    const { host, html, text } = await pageOf({}, tag)
    const guide = await host.signIn.connect({ tenantKey: 'acme', language: tag })
    expect(html).toContain(`<html lang="${tag}"`)
    expect(html).toContain(`<h1>${words.connect.title}</h1>`)
    expect(guide.assistants.length).toBeGreaterThan(9)
    for (const { name, steps, command, config, link } of guide.assistants) {
      for (const shown of [name, ...steps, command, config?.text]) expect(text).toContain(shown ?? '')
      if (link) expect(html).toContain(`href="${link.replace(/&/g, '&#38;')}"`)
    }
    expect(text).toContain(address)
    expect(Buffer.byteLength(html)).toBeLessThan(12 * 1024)
  })

  it.each(['ar', 'ja', 'zh-Hans'])('has in %s no Latin word that is not a name', async (tag) => {
    const { host, text } = await pageOf({}, tag)
    const { assistants } = await host.signIn.connect({ tenantKey: 'acme', language: tag })
    const quoted = /(?<=[“„«»「『‘])[^”“«»」』’]*(?=[”“«»」』’])/g
    const names = [...text.matchAll(quoted)].map(([name]) => name.replace(/[\u2066\u2069]/g, ''))
    const known = [
      ...assistants.flatMap(({ name, command, config }) => [name, command, config?.file, config?.text]),
      'Copilot CLI',
      'VS Code',
      ...names,
      address,
      'Acme Air',
    ]
    const left = known
      .flatMap((name) => name ?? [])
      .sort((one, other) => other.length - one.length)
      .reduce((rest, name) => rest.replaceAll(name, ''), text)
    expect(left.match(/[a-z]+/gi)).toBeNull()
  })

  it('says where the id is entered that the company has given to an assistant', async () => {
    const clients = [{ clientId: 'claude-1', redirectUris: [claudeCallback] }]
    const { text } = await pageOf({ registration: false, clients })
    expect(text).toContain('enter the client id as “OAuth Client ID”')
    expect(text).toContain('claude-1')
    expect(text).not.toContain('ChatGPT')
  })

  it('says that the company lets no assistant in', async () => {
    const { text } = await pageOf({ registration: false, clients: [{ clientId: 'app', redirectUris: [redirectUri] }] })
    expect(text).toContain('No assistant can be connected to Acme Air here.')
    expect(text).not.toContain('Which assistant do you use?')
  })

  it('runs no script but its own, which copies', async () => {
    const { html, headers } = await pageOf()
    const [, script = ''] = /<script>(.*)<\/script>/s.exec(html) ?? []
    const source = `'sha256-${createHash('sha256').update(script).digest('base64')}'`
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; /)
    expect(headers['content-security-policy']).toContain(`script-src ${source}`)
    expect(script).toContain('navigator.clipboard')
  })

  it('escapes what the company calls itself and its API', async () => {
    const { html } = await pageOf({ name: '<i>"Acme"</i>', resources: ['https://acme.example/<b>"&'] })
    expect(html).not.toMatch(/<i>|<b>|"Acme"/)
  })

  it('is about the API that the host names', async () => {
    const { host } = await pageOf()
    const page = host.signIn.pages.connectAssistant({
      who: () => ({ tenantKey: 'acme' }),
      resource: 'https://acme.example/api',
    })
    host.app.use('/api-page', page)
    const { text } = await request(host.baseUrl).get('/api-page').expect(200)
    expect(text).toContain('rows="1" dir="ltr">\nhttps://acme.example/api</textarea>')
    expect(text).not.toContain(address)
    expect(() => host.signIn.pages.connectAssistant({ who: () => null, resource: 'mcp' })).toThrow(
      'pages.connectAssistant.resource must be',
    )
  })

  it('is a fault of the host if the company has no API', async () => {
    const host = await ApiHost.start({ tenantStore: new MemoryTenantStore([{ key: 'acme' }]) })
    host.app.use(path, host.signIn.pages.connectAssistant({ who: () => ({ tenantKey: 'acme' }) }))
    expect((await request(host.baseUrl).get(path)).status).toBe(500)
    expect(host.signIn.events).toMatchObject([{ type: 'error', where: 'pages.connectAssistant' }])
  })
})
