import type { ServerResponse } from 'node:http'
import type { Clients } from '../clients/clients'
import type { PresentedCredential } from '../grants/credential'
import type { Grants } from '../grants/grants'
import { presentedCredential, type Redemption, type Redemptions } from '../grants/redemptions'
import { unknownCredential } from '../grants/refusals'
import { aboutGrant, contextOf, type Emit, warn } from '../host/emitter'
import { type Form, readForm } from '../http/form'
import { hasHungUp } from '../http/has-hung-up'
import { respondWithJson } from '../http/responses'
import { type GrantType, grantTypes, isGrantType } from '../protocol/grant-types'
import { oauthError, withContext } from '../protocol/oauth-error'
import { codeChallengeOf, isCodeVerifier } from '../protocol/pkce'
import { requestedResource } from '../protocol/resource'
import type { ResolvedTenant } from '../tenants/tenants'
import type { AccessTokens, IssuedAccessToken } from '../tokens/access-tokens'
import type { Context } from './endpoint'
import { type ClientAuthentication, mayUse, type RequestingClient, tokenAudiences } from './requesting-client'

/** What the endpoint works with. */
interface TokenRooms {
  clients: Clients
  clientAuthentication: ClientAuthentication
  redemptions: Redemptions
  grants: Grants
  tokens: AccessTokens
  emit: Emit
}

/** Reads the credential of a grant type from the form, with all that the client presents with it. */
type Presents = (form: Form, client: RequestingClient, context: Context) => PresentedCredential

const presents: Record<GrantType, Presents> = {
  authorization_code: presentedCode,
  refresh_token: presentedRefreshToken,
}

/** `POST I/token`: redeems a code or a refresh token (RFC 6749 section 3.2). */
export async function token(context: Context, rooms: TokenRooms): Promise<void> {
  const { req, res, tenant, message } = context
  const { clients, redemptions, grants, tokens, clientAuthentication, emit } = rooms
  const form = await readForm(req, res, { repeatable: ['resource'] })
  const named = clientAuthentication.identify(req, form, tenant)
  message.clientId = named.clientId
  // Before the client is authenticated, for which its document and its keys may have to be fetched.
  if (!named.preRegistered) clients.checkMayRedeem(named.clientId, tenant)
  if (named.proof && clients.publishesKeys(named.clientId, tenant)) checkIssued(form, named, context, redemptions)
  const client = await clientAuthentication.authenticate(named, tenant, tokenAudiences(tenant))
  const grantType = grantTypeOf(form, client)
  const redemption = await redeem(grantType, form, client, context, rooms)
  const issued = redemption.issued ?? (await issue(redemption, tenant, tokens, redemptions))
  if (grantType === 'authorization_code') await grants.endReplaced(redemption.grant, tenant)
  respondWithTokens(res, issued, redemption, client)
  tellOf(redemption, grantType, tenant, emit)
  if (grantType === 'refresh_token' && !client.preRegistered && !redemptions.hasRetryWindow) warnOfNoRetryWindow()
}

/**
 * Checks that this server has issued what a client presents to that very client. Anybody can write an id with an address of keys, and must
 * not make this server fetch something there.
 */
function checkIssued(form: Form, client: RequestingClient, context: Context, redemptions: Redemptions): void {
  // As it would be presented if it turns out to be signed with one of those keys.
  const presented = presents[grantTypeOf(form, client)](form, { ...client, isAuthenticated: true }, context)
  if (!redemptions.hasIssued(presented)) throw unknownCredential(presented)
}

/** Signs the access token. If that fails, the credential that the client presented is live again. */
async function issue(
  redemption: Redemption,
  tenant: ResolvedTenant,
  tokens: AccessTokens,
  redemptions: Redemptions,
): Promise<IssuedAccessToken> {
  const { grant, now } = redemption
  try {
    return await tokens.issue(grant, redemption, grant.expiresAt - now, tenant)
  } catch (failed) {
    await redemptions.reverse(redemption)
    throw withContext(failed, contextOf(grant))
  }
}

function grantTypeOf(form: Form, client: RequestingClient): GrantType {
  const grantType = form.required('grant_type')
  if (!isGrantType(grantType)) {
    throw oauthError('unsupported_grant_type', `grant_type must be ${grantTypes.join(' or ')}`)
  }
  if (!mayUse(grantType, client)) throw oauthError('unauthorized_client', 'The client may not use this grant_type')
  return grantType
}

async function redeem(
  grantType: GrantType,
  form: Form,
  client: RequestingClient,
  context: Context,
  { redemptions, tokens }: TokenRooms,
): Promise<Redemption> {
  const presented = presents[grantType](form, client, context)
  if (client.useUp) await client.useUp(redemptions.hasIssued(presented))
  const requested = { grantType, scope: scopeOf(form, grantType) }
  const settle = tokens.settling(requested, context.tenant)
  return redemptions.redeem(presented, settle)
}

/** RFC 6749 section 4.1.3, with the PKCE verifier of RFC 7636 section 4.5. */
function presentedCode(form: Form, client: RequestingClient, { req, res, tenant }: Context): PresentedCredential {
  const code = form.required('code')
  const redirectUri = form.required('redirect_uri')
  const codeVerifier = form.required('code_verifier')
  if (!isCodeVerifier(codeVerifier)) {
    throw oauthError('invalid_request', 'code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~')
  }
  const lifetime = mayUse('refresh_token', client) ? tenant.refreshTokenLifetime : tenant.accessTokenLifetime
  return presentedCredential('code', code, {
    binding: {
      clientId: client.clientId,
      redirectUri,
      codeChallenge: codeChallengeOf(codeVerifier),
      isAuthenticated: client.isAuthenticated,
    },
    resource: requestedResource(form.all('resource'), tenant),
    tenant,
    // Without refresh tokens the grant need only outlive the access token.
    lifetime: lifetime * 1000,
    hasHungUp: () => hasHungUp(req, res),
  })
}

/** RFC 6749 section 6. */
function presentedRefreshToken(
  form: Form,
  client: RequestingClient,
  { req, res, tenant }: Context,
): PresentedCredential {
  return presentedCredential('refresh_token', form.required('refresh_token'), {
    binding: { clientId: client.clientId, isAuthenticated: client.isAuthenticated },
    resource: requestedResource(form.all('resource'), tenant),
    tenant,
    lifetime: tenant.refreshTokenLifetime * 1000,
    hasHungUp: () => hasHungUp(req, res),
  })
}

/** A `scope` narrows the access token of a refresh, not the grant. A code has the scope that was authorized. */
function scopeOf(form: Form, grantType: GrantType): string | undefined {
  return grantType === 'refresh_token' ? form.get('scope') : undefined
}

/** RFC 6749 section 5.1. */
function respondWithTokens(
  res: ServerResponse,
  { accessToken, expiresIn }: IssuedAccessToken,
  { refreshToken, scopes }: Redemption,
  client: RequestingClient,
): void {
  respondWithJson(res, {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: expiresIn,
    refresh_token: mayUse('refresh_token', client) ? refreshToken : undefined,
    scope: scopes.join(' '),
  })
}

function tellOf(
  { grant, scopes, by, repeat }: Redemption,
  grantType: GrantType,
  tenant: ResolvedTenant,
  emit: Emit,
): void {
  const { resource } = grant
  const about = aboutGrant(grant, tenant.key)
  if (repeat) emit({ type: 'retried', scopes, resource, ...repeat, ...about })
  else if (grantType === 'authorization_code') emit({ type: 'issued', scopes, resource, ...about })
  else emit({ type: 'refreshed', recovered: by === 'recovery', rotated: by !== 'fresh', scopes, resource, ...about })
}

const noRetryWindow = 'refreshRetryWindow is 0: clients that refresh in parallel, as MCP clients do, lose their sign-in'
let hasWarned = false

/** Warns once for each process. */
function warnOfNoRetryWindow(): void {
  if (!hasWarned) warn('RETRY_WINDOW', noRetryWindow)
  hasWarned = true
}
