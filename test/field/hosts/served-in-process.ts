import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { CustomerSignIn, CustomerSignInOptions } from 'customer-sign-in'
import request from 'supertest'
import { HostApp, testSignIn } from '../../support/host-app'
import { http1Client } from '../../support/wire-client'
import type { Mounting } from './mountings'
import { servesCustomers } from './serves-customers'

type Next = (error?: unknown) => void

/** The parts of a host, to assemble with its framework. */
export interface HostParts {
  signIn: CustomerSignIn
  /** Where sign-in is mounted; empty for the root. */
  prefix: string
  /** The guard in front of the API. */
  guard(req: IncomingMessage, res: ServerResponse, next: Next): void
  /** The API at `{prefix}/v1/acme/bookings` and `{prefix}/v1/globex/bookings`. */
  api(req: IncomingMessage, res: ServerResponse): void
  /** Answers all other requests. */
  page(req: IncomingMessage, res: ServerResponse): void
  /** Answers when one of the host's own handlers has thrown. */
  failed(error: unknown, res: ServerResponse): void
}

/** The login of every host in these tests: the customer whom the cookie names, or the login page. */
const authenticate: NonNullable<CustomerSignInOptions['authenticate']> = ({ headers }, res, { url }) => {
  const [, subject] = /customer=([\w-]+)/.exec(headers.cookie ?? '') ?? []
  if (subject) return { subject }
  res.writeHead(302, { Location: `/login?next=${encodeURIComponent(url)}` })
  res.end()
}

/** The API of every host in these tests. It fails for one customer. */
function bookingsOf(subject: string): string[] {
  if (subject === 'unlucky') throw new Error('there is no database')
  return [`a flight of ${subject}`]
}

const ownHandlers: Pick<HostParts, 'page' | 'failed'> = {
  page(req, res) {
    if (req.url?.endsWith('/broken')) throw new Error('the page is broken')
    if (req.url === '/echo') req.pipe(res)
    else res.end('a page of the host')
  },
  failed(error, res) {
    res.statusCode = 500
    res.end(`the host was told: ${(error as Error).message}`)
  },
}

/** Runs the tests of every host on one that is in this process. */
export function servesCustomersInProcess(assemble: (parts: HostParts) => RequestListener, mounting: Mounting): void {
  describe(mounting.name, () => {
    let app: HostApp
    servesCustomers(async () => {
      const { prefix, configured } = mounting
      app = await HostApp.start((origin) => {
        const signIn = testSignIn({ baseUrl: configured ? origin + prefix : undefined, authenticate })
        const guard = signIn.protectedResource({ path: '/v1/:tenantKey/bookings', scopes: 'profile' })
        const api: HostParts['api'] = (req, res) => res.end(JSON.stringify(bookingsOf(signIn.auth(req).subject)))
        return assemble({ signIn, prefix, guard, api, ...ownHandlers })
      })
      return { origin: app.origin, connect: () => http1Client(app.origin), stop: () => app.stop() }
    }, mounting)

    it('tells the host of an error of its own page', async () => {
      const { text } = await request(app.origin).get(`${mounting.prefix}/broken`).expect(500)
      expect(text).toBe('the host was told: the page is broken')
    })
  })
}
