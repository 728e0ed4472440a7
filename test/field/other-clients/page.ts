import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TenantStore } from 'customer-sign-in'
import type { Express } from 'express'
import { snippetFolder, snippetWith } from '../../docs/pages'

/** The company of docs/other-clients.md, whose client's app is on this machine here. */
export async function tenantStoreOfThePage(): Promise<TenantStore> {
  const { code } = snippetWith("clientId: 'web-app'")
  const local = code.replaceAll('https://app.example', 'http://127.0.0.1')
  const { tenantStore } = await imported<{ tenantStore: TenantStore }>(`${local}\nexport { tenantStore }\n`)
  return tenantStore
}

/** The route of docs/other-clients.md that serves the metadata at the address of OpenID discovery. */
export async function routeOfThePage(): Promise<(app: Express) => void> {
  const { code } = snippetWith('oauth/.well-known/openid-configuration')
  const { mount } = await imported<{ mount(app: Express): void }>(`export function mount(app) {\n${code}}\n`)
  return mount
}

async function imported<Module>(code: string): Promise<Module> {
  const folder = snippetFolder()
  const file = join(folder, 'snippet.ts')
  writeFileSync(file, code)
  const module: Module = await import(file)
  rmSync(folder, { recursive: true })
  return module
}
