import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { freePort } from '../../../scripts/free-port'
import { snippetsOf, textOf } from '../../docs/pages'
import { Customer } from '../../support/customer'
import { NewAssistant } from '../../support/new-assistant'
import { runTool } from './command'
import { HostProject } from './host-project'
import { type PackedPackage, root } from './packed-package'

const [complete = ''] = blocksWith('app.listen(3000')
const [requires = ''] = blocksWith("require('customer-sign-in')")
const files = {
  'app.mjs': complete,
  'app.cjs': complete.replace(/^(import .*\n)+/, requires),
  'app.mts': complete,
}

/** How a client of MCP 2026-07-28 calls the tool. */
const ofToday: [headers: Record<string, string>, meta: object] = [
  { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'who_am_i' },
  {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'assistant', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
]

/** Tests of the complete app of the README, as it is pasted into a project that has installed what the README says. */
export function readmeApp(packed: () => PackedPackage): void {
  let project: HostProject
  beforeAll(async () => {
    project = await HostProject.install('readme', packed())
  })

  it('is within the first 60 lines, and no snippet of TypeScript needs another one', () => {
    const lines = textOf('README.md').split('\n')
    expect(lines.findIndex((line) => line.includes('app.listen(3000'))).toBeLessThan(60)
    expect(snippetsOf('README.md')).toEqual([])
  })

  it('compiles strictly', async () => {
    writeFileSync(join(project.folder, 'app.mts'), complete)
    const options = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--skipLibCheck',
      '--types',
      'node',
    ]
    await runTool('tsc', [...options, 'app.mts'], project.folder, root)
  })

  it.each(Object.entries(files))('connects an assistant that is given one address: %s', async (name, code) => {
    const port = await freePort()
    const origin = `http://localhost:${port}`
    writeFileSync(join(project.folder, name), code.replaceAll('3000', String(port)))
    const args = name.endsWith('.mts') ? ['--import', 'tsx', name] : [name]
    const host = spawn(process.execPath, args, { cwd: project.folder, stdio: ['ignore', 'ignore', 'pipe'] })
    try {
      const serverUrl = `${origin}/v1/acme/mcp`
      const refused = await answers(serverUrl, host)
      const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('WWW-Authenticate') ?? '') ?? []
      const callback = 'http://localhost:9/callback'
      const assistant = new NewAssistant({ callback })
      const asked = { serverUrl, resourceMetadataUrl: new URL(metadata) }
      expect(await auth(assistant, asked)).toBe('REDIRECT')
      const { url } = await new Customer(callback).open(assistant.authorizationUrl.href)
      const authorizationCode = url.searchParams.get('code') ?? ''
      expect(await auth(assistant, { ...asked, authorizationCode })).toBe('AUTHORIZED')

      const call = (company: string, headers: Record<string, string> = {}, meta: object = {}) =>
        fetch(`${origin}/v1/${company}/mcp`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${assistant.tokens()?.access_token}`,
            Accept: 'application/json, text/event-stream',
            'Content-Type': 'application/json',
            ...headers,
          },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'tools/call',
            params: { name: 'who_am_i', arguments: {}, _meta: meta },
          }),
        })
      expect(await (await call('acme')).text()).toContain('"text":"ada"')
      expect(await (await call('acme', ...ofToday)).text()).toContain('"text":"ada"')
      expect((await call('globex')).status).toBe(404)
    } finally {
      host.kill()
      await once(host, 'exit')
    }
  })
}

/** The first answer of a host to a request without a token, as soon as it listens. */
async function answers(address: string, host: ReturnType<typeof spawn>): Promise<Response> {
  for (;;) {
    const response = await fetch(address, { method: 'POST' }).catch(() => undefined)
    if (response) return response
    if (host.exitCode !== null) throw new Error(`The app ended: ${host.stderr?.read()}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

function blocksWith(words: string): string[] {
  const blocks = [...textOf('README.md').matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code)
  return blocks.filter((code) => code.includes(words))
}
