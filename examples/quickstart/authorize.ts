import { type CustomerSignIn, OAuthError, type Tenant } from 'customer-sign-in'
import { type Request, Router, urlencoded } from 'express'
import { consentPage } from './pages'

/** The customer who is logged in. A real host reads this from its session; here it is always Ada. */
const customer = { id: 'cus_W2kq8ZpX4nTb', name: 'Ada Lovelace' }

interface Authorize {
  signIn: CustomerSignIn
  findTenant(key: string): Tenant | undefined
  baseUrl: string
}

/**
 * The host's own authorize page: shows who asks for what (GET), and issues a code when the customer presses Allow (POST). Every answer to the
 * client has `iss` and `state`, also a refusal.
 * The page's address contains the whole request, so nothing is stored before the customer has agreed.
 */
export function authorizePage({ signIn, findTenant, baseUrl }: Authorize): Router {
  const router = Router({ mergeParams: true })
  router.use((_req, res, next) => {
    res.set('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
    next()
  })

  router.get('/', (req, res) => {
    const { tenantKey, clientId, scopes } = authorizationRequest(req)
    const tenant = findTenant(tenantKey)
    if (!tenant) throw new OAuthError('not_found', 'This company has no customer sign-in')
    const client = tenant.clients?.find((known) => known.clientId === clientId)
    if (!client) throw new OAuthError('invalid_request', 'This company does not know the app that sent you here')
    const app = client.clientName ?? clientId
    res.send(consentPage({ tenant, app, customer: customer.name, scopes: scopes?.split(' ') ?? tenant.scopes ?? [] }))
  })

  router.post('/', urlencoded({ extended: false }), async (req, res) => {
    refuseOtherSites(req, baseUrl)
    const request = authorizationRequest(req)
    const { tenantKey, clientId, redirectUri, state } = request
    const { redirectTo } =
      req.body?.answer === 'allow'
        ? await signIn.issueAuthorizationCode({ ...request, subject: customer.id })
        : await signIn.refuseAuthorization({ tenantKey, clientId, redirectUri, state })
    res.redirect(303, redirectTo)
  })

  return router
}

/** The parameters of RFC 6749 section 4.1.1. `issueAuthorizationCode` checks them. */
function authorizationRequest(req: Request<{ tenantKey?: string }>) {
  const query = new URL(req.originalUrl, 'http://host').searchParams
  if (query.get('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code')
  }
  return {
    tenantKey: req.params.tenantKey ?? '',
    clientId: query.get('client_id') ?? '',
    redirectUri: query.get('redirect_uri') ?? '',
    codeChallenge: query.get('code_challenge') ?? '',
    codeChallengeMethod: query.get('code_challenge_method') as 'S256',
    scopes: query.get('scope') || undefined,
    resource: query.get('resource') ?? undefined,
    state: query.get('state') ?? undefined,
  }
}

/** Refuses forms on other sites: they could press Allow for a customer who is signed in here (CSRF). */
function refuseOtherSites(req: Request, baseUrl: string): void {
  const origin = req.get('Origin')
  if (origin !== undefined && origin !== new URL(baseUrl).origin) {
    throw new OAuthError('access_denied', 'Only the page at this address may ask for a code', { status: 403 })
  }
}
