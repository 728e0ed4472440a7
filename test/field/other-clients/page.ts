import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TenantStore } from 'customer-sign-in'
import type { Express } from 'express'
import { blockUnder, snippetFolder, snippetWith, textOf } from '../../docs/pages'

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

const files: Record<string, string> = {
  'openid-client 5': 'openid-client-5.mjs',
  'oidc-client-ts': 'oidc-client-ts.mjs',
  'Auth.js': 'auth-js.mjs',
  '@fastify/oauth2': 'fastify-oauth2.mjs',
  'passport-oauth2': 'passport-oauth2.mjs',
  'simple-oauth2': 'simple-oauth2.mjs',
  'requests-oauthlib': 'requests_oauthlib.py',
  Authlib: 'authlib_client.py',
  'golang.org/x/oauth2': 'oauth2.go',
}

/** The code for a library: a file of examples/clients, or a snippet of the page. */
export function codeOf(library: string): string {
  const { [library]: file } = files
  return file === undefined
    ? blockUnder(`## ${library}`, 'docs/other-clients.md').code
    : textOf(`examples/clients/${file}`)
}
