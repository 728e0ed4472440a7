import { rmSync } from 'node:fs'
import { StrictProject } from '../support/strict-project'
import { pages, type Snippet, snippetFolder, snippetsOf } from './pages'

// What readers have already when a snippet begins: their own app, or the snippets before it. Their session is express-session's.
const context = `
/// <reference types="express-session" />
declare const app: import('express').Express
declare const signIn: import('customer-sign-in').CustomerSignIn
declare const createCustomerSignIn: typeof import('customer-sign-in').createCustomerSignIn
declare const tenantStore: import('customer-sign-in').TenantStore
declare const tokenStore: import('customer-sign-in').TokenStore
declare const signingKeys: import('customer-sign-in').SigningKeyInput[]
declare const pool: import('pg').Pool
declare const redis: import('ioredis').Redis
declare const clientId: string, redirectUri: string, codeChallenge: string, scope: string, state: string
declare const options: import('customer-sign-in').CustomerSignInOptions
declare const authenticate: NonNullable<import('customer-sign-in').CustomerSignInOptions['authenticate']>
declare function customerOf(req: object, tenantKey: string): { id: string; name: string } | undefined
declare function staffOf(req: object): { id: string; companyKey: string } | undefined
declare function answerOf(req: object): 'allow' | 'deny' | undefined
declare const refuseOtherSites: RequestHandler
declare function loginAt(req: object): string
declare function sendConsentPage(res: object, request: import('customer-sign-in').ConsentRequest): void
declare function session(req: import('express').Request): { customerId: string }
declare function bookingsOf(subject: string): string[]
declare const mcp: import('express').RequestHandler
declare const MyTokenStore: new () => import('customer-sign-in').TokenStore
declare const log: { info(event: object): void; error(error: object, where: string): void }
declare const db: {
  saveRules(tenantKey: string, rules: object, before: object): Promise<void>
  companies: { findBySlug(slug: string): Promise<{ id: string; slug: string; name: string; signInEnabled: boolean } | undefined> }
  customers: {
    find(tenant: string, id: string): Promise<{ active: boolean; plan: string } | undefined>
    byIdentity(tenant: string, issuer: string, sub: string): Promise<{ id: string } | undefined>
  }
}
declare module 'vitest' {
  export { expect, it } from '@jest/globals'
}
declare module 'undici' {
  export { fetch, ProxyAgent } from 'undici-types'
}
declare module 'node:sqlite' {
  export class DatabaseSync {
    constructor(path: string)
    exec(sql: string): void
    prepare(sql: string): { all(...values: (string | number)[]): Record<string, unknown>[] }
  }
}
`

// What the login of the reader's app stores in the session.
const sessionData = `
import 'express-session'
declare module 'express-session' {
  interface SessionData { company: string; customerId: string; customer: { id: string } }
}
`

// What other snippets import.
const imported = ['examples/sqlite/sqlite-token-store.ts', 'examples/testing/app.ts']
const exported = ['Grant', 'NewGrant', 'CredentialSwap', 'SwapReversal', 'Tenant', 'Client']

describe('the snippets of the README and the docs', () => {
  const folder = snippetFolder()
  afterAll(() => rmSync(folder, { recursive: true }))

  it('compile unchanged with every strict check, as ES modules, and show types as they are exported', () => {
    const project = new StrictProject(folder)
    project.write('context.d.ts', context)
    project.write('session-data.ts', sessionData)
    // What is copied from examples/ is compiled there.
    const snippets = pages.flatMap(snippetsOf).filter(({ file }) => file === undefined || imported.includes(file))
    for (const snippet of snippets) project.write(fileOf(snippet), onItsLine(snippet))

    expect(project.compile()).toBe('')
    expect(snippets.length).toBeGreaterThan(10)
  })
})

function fileOf({ page, line, code }: Snippet): string {
  if (code.includes('export function sqliteTokenStore')) return 'sqlite-token-store.ts'
  // A snippet that others import begins with the name of its file.
  const [, name = `${page.replace(/\W+/g, '-')}-${line}.ts`] = /^\/\/ ([\w.]+\.ts)$/m.exec(code) ?? []
  return name
}

/** Makes the compiler name lines of the page. The types that the page shows must equal the exported ones, member by member. */
function onItsLine({ line, code }: Snippet): string {
  const shown = [...code.matchAll(/^interface (\w+)/gm)].map(([, name = '']) => name)
  const same = shown
    .filter((name) => exported.includes(name))
    .map((name) => `const same${name}: Identical<${name}, import('customer-sign-in').${name}> = true`)
  const identical =
    'type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false'
  return ['\n'.repeat(line - 1) + code, identical, ...same].join('\n')
}
