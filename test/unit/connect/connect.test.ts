import { ConfigurationError, type ConnectRequest, MemoryTenantStore, type Tenant } from 'customer-sign-in'
import { testSignIn } from '../../support/host-app'
import { started } from '../../support/started'

const tenantKey = 'acme'
const resource = 'https://host.example/v1/acme/mcp'

/** The guide of one company. */
async function guideOf(record: Partial<Tenant>, asked: Partial<ConnectRequest> = {}) {
  const company = { key: tenantKey, id: '1', resources: [resource], ...record }
  const { signIn } = await started({ tenantStore: new MemoryTenantStore([company]) })
  return signIn.connect({ tenantKey: company.key, ...asked })
}

describe('connect gives the address', () => {
  it('of the API that protectedResource has announced', async () => {
    const { signIn, url } = await started()
    signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
    signIn.protectedResource({ path: '/v1/:tenantKey/api' })
    expect(await signIn.connect({ tenantKey })).toMatchObject({ address: `${url}/v1/acme/mcp`, tenantName: 'Acme' })
    const api = await signIn.connect({ tenantKey, resource: `${url}/v1/acme/api` })
    expect(api.address).toBe(`${url}/v1/acme/api`)
    expect(JSON.stringify(api.assistants)).not.toContain('/v1/acme/mcp')
  })

  it('below the path of the base URL', async () => {
    const { signIn } = await started({ baseUrl: 'https://host.example/auth' })
    signIn.protectedResource({ path: '/v1/:tenantKey/mcp' })
    expect((await signIn.connect({ tenantKey })).address).toBe('https://host.example/auth/v1/acme/mcp')
  })

  it('of the first API of the company’s own, exactly as its record spells it', async () => {
    const { signIn } = await started()
    const first = await signIn.connect({ tenantKey: 'globex' })
    expect(first.address).toBe('https://api.globex.example/mcp')
    const named = await signIn.connect({ tenantKey: 'globex', resource: 'https://FILES.globex.example' })
    expect(named.address).toBe('https://files.globex.example/')
  })

  it('of no API that the company does not have', async () => {
    const { signIn } = await started()
    const foreign = signIn.connect({ tenantKey: 'globex', resource })
    await expect(foreign).rejects.toThrow(
      /connect\.resource must be one of the resources of the tenant, but is "https:/,
    )
    await expect(foreign).rejects.toBeInstanceOf(ConfigurationError)
  })

  it('of no issuer: a host that has announced no API is told so', async () => {
    const { signIn } = await started()
    const nothing = signIn.connect({ tenantKey })
    await expect(nothing).rejects.toBeInstanceOf(ConfigurationError)
    await expect(nothing).rejects.toMatchObject({ option: 'connect' })
    await expect(nothing).rejects.toThrow('announce one with protectedResource')
  })
})

describe('connect', () => {
  it.each(['initech', 'ACME', 'a/b'])('rejects with not_found for the unknown tenant %s', async (unknown) => {
    const { signIn } = await started()
    await expect(signIn.connect({ tenantKey: unknown })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('rejects with temporarily_unavailable when the tenant store fails', async () => {
    const { signIn } = await started({ tenantStore: { findTenant: () => Promise.reject(new Error('down')) } })
    await expect(signIn.connect({ tenantKey })).rejects.toMatchObject({ code: 'temporarily_unavailable' })
  })

  it('rejects before it knows the address of the host', async () => {
    await expect(testSignIn().connect({ tenantKey })).rejects.toMatchObject({ option: 'baseUrl' })
  })

  it('gives the company’s name, or its key if it has none', async () => {
    expect((await guideOf({ name: 'Acme Air' })).tenantName).toBe('Acme Air')
    expect((await guideOf({ name: null })).tenantName).toBe('acme')
  })

  it('gives for each assistant what adds the server', async () => {
    const guide = await guideOf({ key: 'Acme.Air', name: 'Acme Air' })
    expect(guide.serverName).toBe('acme-air')
    const of = (id: string) => guide.assistants.find((assistant) => assistant.id === id)
    expect(of('claude')?.link).toBe(
      'https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=Acme%20Air&connectorUrl=https%3A%2F%2Fhost.example%2Fv1%2Facme%2Fmcp',
    )
    expect(of('claude-code')?.command).toBe(`claude mcp add --transport http --scope user acme-air ${resource}`)
    expect(of('codex')?.command).toBe(`codex mcp add acme-air --url ${resource}`)
    expect(of('gemini-cli')?.command).toBe(`gemini mcp add --transport http --scope user acme-air ${resource}`)
    expect(of('opencode')?.command).toBe(`opencode mcp add acme-air --url ${resource}`)
    expect(of('vscode')).not.toHaveProperty('command')
    expect(of('cursor')?.config?.file).toBe('~/.cursor/mcp.json')
    expect(of('zed')?.config?.file).toBe('~/.config/zed/settings.json')
    expect(of('copilot-cli')?.config?.file).toBe('~/.copilot/mcp-config.json')
    expect(JSON.parse(of('cursor')?.config?.text ?? '')).toEqual({ mcpServers: { 'acme-air': { url: resource } } })
    expect(JSON.parse(of('zed')?.config?.text ?? '')).toEqual({ context_servers: { 'acme-air': { url: resource } } })
    expect(of('zed')).not.toHaveProperty('link')
    expect(of('chatgpt')).toEqual({
      id: 'chatgpt',
      name: 'ChatGPT',
      steps: [
        'Open the link, press the plus button, and choose “Add custom MCP server”. If it is not there, switch on “Developer mode” in the settings, or ask an admin.',
        'Enter the name of the company, and the address as “Server URL”. Choose “OAuth” for “Authentication”.',
        'Read the warning and confirm it. Press “Create as a plugin”.',
        'Log in in the browser, and allow the access.',
      ],
      link: 'https://chatgpt.com/plugins',
      source: expect.stringMatching(/^https:/),
      checkedOn: expect.stringMatching(/^20/),
    })
  })

  it.each([
    ['de', 'Drücken Sie „Add“ und dann „Connect“.'],
    ['de-AT', 'Drücken Sie „Add“ und dann „Connect“.'],
    ['ja', '「Add」を押し、次に「Connect」を押します。'],
    // Isolated, so that what stands around a name does not change its place.
    ['ar', 'اضغط «\u2066Add\u2069» ثم «\u2066Connect\u2069».'],
    ['fi', 'Press “Add”, and then “Connect”.'],
  ])('says the steps in the language that is asked for: %s', async (language, step) => {
    for (const guide of [await guideOf({ locale: 'fr' }, { language }), await guideOf({ locale: language })]) {
      expect(guide.assistants[0]).toMatchObject({ id: 'claude', steps: expect.arrayContaining([step]) })
    }
  })

  it('gives links that a hostile name and address cannot break out of', async () => {
    const name = `"><script>alert(1)</script>'; rm -rf ~ #\n`
    const address = `https://host.example/$(id)/'"\`<b>&x=1`
    const guide = await guideOf({ name, resources: [address] })
    expect(guide).toMatchObject({ address: new URL(address).href, tenantName: name })
    for (const { link = 'https://' } of guide.assistants) {
      expect(link).toMatch(/^(https|cursor|vscode|goose):[^\s"<>`]*$/)
    }
  })

  it.each([
    "https://host.example/mcp?x=';calc;'",
    'https://host.example/mcp?x=1&calc.exe',
    'https://host.example/$(calc)/mcp',
    'https://host.example/%COMSPEC%/mcp',
  ])('gives no command for an address that some shell would run: %s', async (address) => {
    const guide = await guideOf({ resources: [address] })
    expect(guide.assistants.filter((assistant) => 'command' in assistant)).toEqual([])
    expect(guide.assistants.map(({ id }) => id)).toEqual([
      'claude',
      'chatgpt',
      'cursor',
      'vscode',
      'copilot-cli',
      'zed',
      'goose',
    ])
  })

  it('gives the same steps for every company, and lists that the host may change', async () => {
    const first = await guideOf({ name: 'Acme Air' })
    const second = await guideOf({ name: 'Globex', resources: ['https://other.example/mcp'] })
    const stepsOf = ({ assistants: list }: typeof first) => list.map(({ steps }) => [...steps])
    const before = stepsOf(second)
    expect(stepsOf(first)).toEqual(before)
    for (const { steps } of first.assistants) steps.length = 0
    expect(stepsOf(await guideOf({}))).toEqual(before)
  })
})
