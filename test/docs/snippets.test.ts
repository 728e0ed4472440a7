import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pages, root, type Snippet, snippetFolder, snippetsOf } from './pages'

// What readers have already where a snippet begins: their own app, or the snippets before it.
const context = `
declare const app: import('express').Express
declare const signIn: import('customer-sign-in').CustomerSignIn
declare const createCustomerSignIn: typeof import('customer-sign-in').createCustomerSignIn
declare const tenantStore: import('customer-sign-in').TenantStore
declare const tokenStore: import('customer-sign-in').TokenStore
declare const signingKeys: import('customer-sign-in').SigningKeyInput[]
declare const clientId: string, redirectUri: string, codeChallenge: string, scope: string, state: string
declare const authenticate: NonNullable<import('customer-sign-in').CustomerSignInOptions['authenticate']>
declare function customerOf(req: object, tenantKey: string): { id: string; name: string } | undefined
declare function answerOf(req: object): 'allow' | 'deny' | undefined
declare function sendConsentPage(res: object, request: import('customer-sign-in').ConsentRequest): void
declare function session(req: import('express').Request): { customerId: string }
declare function bookingsOf(subject: string): string[]
declare const mcp: import('express').RequestHandler
declare const MyTokenStore: new () => import('customer-sign-in').TokenStore
declare const log: { info(event: object): void; error(error: Error, where: string): void }
declare const db: {
  companies: { findBySlug(slug: string): Promise<{ id: string; slug: string; name: string; signInEnabled: boolean } | undefined> }
  customers: { find(tenant: string, id: string): Promise<{ active: boolean; plan: string } | undefined> }
}
declare namespace Express {
  interface Request { session: { company?: string; customerId: string; customer?: { id: string } } }
}
declare module 'pg' {
  export class Pool {
    constructor(options?: { connectionTimeoutMillis?: number; query_timeout?: number })
    query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
    on(event: 'error', listener: (error: Error) => void): this
  }
}
`

const exported = ['Grant', 'NewGrant', 'RegisteredClient', 'CredentialSwap', 'SwapReversal', 'Tenant', 'Client']

describe('the snippets of the README and the docs', () => {
  const folder = snippetFolder()
  afterAll(() => rmSync(folder, { recursive: true }))

  it('compile as they are, and show types as they are exported', () => {
    const options = { rootDir: root, moduleDetection: 'force', noUnusedLocals: false, noUnusedParameters: false }
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions: options, include: ['*.ts'] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    writeFileSync(join(folder, 'context.d.ts'), context)
    const snippets = pages.flatMap(snippetsOf)
    for (const snippet of snippets) writeFileSync(join(folder, fileOf(snippet)), onItsLine(snippet))

    const { stdout } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder], { encoding: 'utf8' })
    expect(stdout).toBe('')
    expect(snippets.length).toBeGreaterThan(10)
  })
})

function fileOf({ page, line, code }: Snippet): string {
  if (code.includes('export class PostgresTokenStore')) return 'postgres-token-store.ts'
  return `${page.replace(/\W+/g, '-')}-${line}.ts`
}

/** So that the compiler complains of a line of the page. The types that it shows must be the exported ones, member for member. */
function onItsLine({ line, code }: Snippet): string {
  const shown = [...code.matchAll(/^interface (\w+)/gm)].map(([, name = '']) => name)
  const same = shown
    .filter((name) => exported.includes(name))
    .map((name) => `const same${name}: Identical<${name}, import('customer-sign-in').${name}> = true`)
  const identical =
    'type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false'
  return ['\n'.repeat(line - 1) + code, identical, ...same].join('\n')
}
