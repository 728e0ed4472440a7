import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { snippetFolder } from '../../docs/pages'
import { StrictProject } from '../../support/strict-project'

const redis = (ioredis: string) => `
import { RedisTokenStore } from 'customer-sign-in/redis'
import { Cluster, Redis } from '${ioredis}'

export const stores = [
  new RedisTokenStore(new Redis()),
  new RedisTokenStore(new Redis({ sentinels: [{ host: '10.0.0.1', port: 26379 }], name: 'sign-in' })),
  new RedisTokenStore(new Cluster([{ host: '10.0.0.1' }]), { keyPrefix: undefined, replicas: undefined }),
]
`

const undefinedEverywhere = `
import { createCustomerSignIn, MemoryTokenStore, OAuthError, type Tenant } from 'customer-sign-in'
import type { Grant } from 'customer-sign-in/store'

declare const row: { name: string | undefined; clientName: string | undefined; scopes: string[] | undefined }
declare const stored: Grant

export const tenant: Tenant = { key: 'acme', id: row.name, name: row.name, scopes: row.scopes, clients: undefined }
export const grant: Grant = { ...stored, consentTo: row.clientName, swap: undefined }

const signIn = createCustomerSignIn({
  tenantStore: { findTenant: () => tenant },
  tokenStore: new MemoryTokenStore(),
  baseUrl: process.env['BASE_URL'],
  authenticate: undefined,
  pages: { consent: undefined },
  accessTokenClaims: undefined,
  onEvent: undefined,
  externalEndpoints: { authorization: process.env['AUTHORIZE'], registration: undefined },
})
await signIn.issueAuthorizationCode({
  tenantKey: 'acme', clientId: '', redirectUri: '', codeChallenge: '', codeChallengeMethod: 'S256', subject: '',
  scopes: undefined, resource: undefined, state: undefined, claims: undefined,
})
throw new OAuthError('invalid_grant', '', { status: undefined, cause: undefined })
`

const guards = `
import { createCustomerSignIn, type CustomerSignInOptions } from 'customer-sign-in'

declare const options: CustomerSignInOptions
declare const unsaid: string | undefined
const signIn = createCustomerSignIn(options)

// @ts-expect-error
await signIn.verifyAccessToken('', { tenantKey: 'acme', scopes: unsaid })
// @ts-expect-error
signIn.requireAccessToken({ tenantKey: 'acme', resource: unsaid })
// @ts-expect-error
signIn.protectedResource({ path: '/v1/:tenantKey/mcp', scopes: unsaid })
`

const hooks = `
import { createCustomerSignIn, type CustomerSignInOptions } from 'customer-sign-in'
import type { Request, Response } from 'express'

declare const stores: Pick<CustomerSignInOptions, 'tenantStore' | 'tokenStore'>

createCustomerSignIn({
  ...stores,
  authenticate(req: Request, res: Response, { url }) {
    if (req.get('Cookie')) return { subject: 'customer-1', name: undefined }
    return res.redirect(url)
  },
  pages: {
    async consent(_req, res: Response) {
      await Promise.resolve()
      return res.render('consent')
    },
  },
})
`

describe('the declarations of this package', () => {
  const project = new StrictProject(snippetFolder())
  afterAll(() => rmSync(project.folder, { recursive: true }))

  it.each([
    ['a store over ioredis 6', redis('ioredis')],
    ['a store over ioredis 5', redis('ioredis5')],
    ['undefined for whatever may be left out', undefinedEverywhere],
    ['no undefined for what a guard requires, as it would require nothing', guards],
    ['hooks that end with what their framework gives', hooks],
  ])('take %s, with every strict check', (_, code) => {
    project.write('host.ts', code)
    expect(project.compile()).toBe('')
  })

  it('take undefined for every member that may be left out, except what a guard requires', () => {
    const declarations = join(project.folder, 'node_modules', 'customer-sign-in', 'dist')
    const members = readdirSync(declarations, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.d.ts') && !name.startsWith('resource-server'))
      .flatMap((name) => readFileSync(join(declarations, name), 'utf8').match(/^ +(readonly )?\w+\?: .*;$/gm) ?? [])
    expect(members.length).toBeGreaterThan(60)
    expect(members.filter((member) => !/\b(undefined|unknown|never);$/.test(member))).toEqual([])
  })
})
