import dns from 'node:dns'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CustomerSignIn, type CustomerSignInOptions, MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'
import express, { type Express, type Request, type RequestHandler, type Response } from 'express'
import { examine } from '../../src/doctor/examine'
import type { Report } from '../../src/doctor/report'
import type { VisitOptions } from '../../src/doctor/visit'
import { type FrontPlace, FrontServer } from './front-server'
import { signingKey } from './sign-in'
import { createSignIn } from './test-options'

const path = '/v1/:tenantKey/mcp'
const servers: Server[] = []
const fronts: FrontServer[] = []

afterEach(async () => {
  await Promise.all(fronts.splice(0).map((front) => front.stop()))
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** What stands between the doctor and the app, given the lines that pass a request on. */
export type Front = (app: { pass: string; port: number; folder: string; upstream: number }) => string

export interface Deployed {
  /** More options, which may depend on the public origin. */
  options?: (origin: string) => Partial<CustomerSignInOptions>
  /** Mounts the API. By default at every method of `/v1/:tenantKey/mcp`, behind its guard. */
  api?: (app: Express, signIn: CustomerSignIn) => unknown
  /** What comes before the sign-in. */
  before?: (origin: string) => RequestHandler
  /** Mounts the sign-in. By default at the root. */
  mount?: (app: Express, signIn: CustomerSignIn) => unknown
}

/** Listens on a free port. What answers there can be given later, when more addresses are known. @returns Its port, and the way to give it. */
export async function listening(): Promise<{ port: number; answer: (listener: RequestListener) => void }> {
  const server = createServer()
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { port, answer: (listener) => void server.on('request', listener) }
}

/** An app with a sign-in, an MCP server for each company, and a login page. */
export function hostApp(
  origin: string,
  { options = () => ({}), api = guarded, before, mount }: Deployed = {},
): Express {
  const needed: CustomerSignInOptions = {
    tenantStore: new MemoryTenantStore([{ key: 'acme', id: '1', name: 'Acme Air' }]),
    tokenStore: new MemoryTokenStore(),
    keys: { signing: [signingKey] },
    // The copies of documents are used, so that no test needs the internet.
    clients: { fetch: () => Promise.reject(new Error('There is no internet')) },
    authenticate: (_req: Request, res: Response) => res.redirect('/login'),
    onEvent: () => {},
    baseUrl: origin,
  }
  const signIn = createSignIn(needed, options(origin))
  const app = express()
  app.set('trust proxy', true)
  if (before) app.use(before(origin))
  if (mount) mount(app, signIn)
  else app.use(signIn)
  api(app, signIn)
  app.get('/login', (_req, res) => res.type('html').send('<!doctype html><h1>Log in</h1>'))
  return app
}

/** Answers like an MCP server, as far as the doctor asks. */
export const answerMcp: RequestHandler = (_req, res) => void res.json({ jsonrpc: '2.0', id: 1, result: {} })

/** Mounts the API behind its guard. */
export function guarded(app: Express, signIn: CustomerSignIn): void {
  app.all([path, '/mcp'], signIn.protectedResource({ path }), answerMcp)
}

/** Lets every name lead to this machine, until the test restores its mocks. */
export function everyNameLeadsHere(): void {
  const lookup = (_name: string, ...more: unknown[]) => {
    const [options, found] = [Object(more[0]), more.at(-1) as (...of: unknown[]) => void]
    if (options.all) found(null, [{ address: '127.0.0.1', family: 4 }])
    else found(null, '127.0.0.1', 4)
  }
  jest.spyOn(dns, 'lookup').mockImplementation(lookup as never)
}

/** Deploys an app without a proxy. @returns Its origin. */
export async function deployed(app: Deployed = {}): Promise<string> {
  const { port, answer } = await listening()
  const origin = `http://127.0.0.1:${port}`
  answer(hostApp(origin, app))
  return origin
}

/** The lines with which a proxy passes a request on, as it should. */
export const passOn = (upstream: number) =>
  `proxy_pass http://127.0.0.1:${upstream}; proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme;`

/** Starts nginx, and stops it after the test. */
export async function nginx(...of: Parameters<typeof FrontServer.nginx>): Promise<FrontServer> {
  const server = await FrontServer.nginx(...of)
  fronts.push(server)
  return server
}

/** Deploys an app behind nginx, with these lines in its `server` block. @returns The origin of nginx. */
export async function behindNginx(
  front: Front,
  app: Deployed = {},
  { clock = 0, http = () => '' }: { clock?: number; http?: Front | undefined } = {},
): Promise<string> {
  const { port: upstream, answer } = await listening()
  const site = ({ port, folder }: FrontPlace) => {
    const known = { pass: passOn(upstream), port, folder, upstream }
    return `${http(known)} server { listen 127.0.0.1:${port}; absolute_redirect off; ${front(known)} }`
  }
  const { port } = await nginx(site, { clock })
  const origin = `http://127.0.0.1:${port}`
  answer(hostApp(origin, app))
  return origin
}

/** What the doctor finds, by default at the MCP server of Acme: each finding with its step. */
export async function found(
  origin: string,
  { address = `${origin}/v1/acme/mcp`, ...options }: VisitOptions & { address?: string } = {},
): Promise<string[]> {
  return findingsOf(await examine(address, options))
}

/** Each finding with its step. Fails if a text lacks one of its values. */
export function findingsOf({ steps }: Report): string[] {
  const words = steps.flatMap(({ findings, notes }) => [
    ...findings.flatMap(({ says, remedy }) => [says, remedy]),
    ...notes,
  ])
  for (const text of words) expect(text).not.toMatch(/\b(undefined|NaN)\b|…\w…|\s\s/)
  return steps.flatMap(({ step, findings }) => findings.map(({ code }) => `${step}: ${code}`))
}
