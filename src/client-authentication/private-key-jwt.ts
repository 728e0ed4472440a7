import { type Check, mustBeText, nullable } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { ClientCredentials } from '../contract/tenant-store'
import { digest } from '../protocol/digest'
import {
  assertionAlgorithms,
  hasKeyOf,
  isAssertionAlgorithm,
  isKeySetUrl,
  isSignedBy,
  type JsonWebKeySet,
  keySetFault,
  publicPart,
  type Signer,
} from '../protocol/json-web-keys'
import { type OAuthError, oauthError } from '../protocol/oauth-error'
import { isClientId } from '../protocol/registered-id'
import { isTime, readJwt, type UnverifiedJwt } from '../protocol/unverified-jwt'
import {
  type AuthenticationMethod,
  authenticationFailed,
  invalidMetadata,
  type KnownOfClient,
  type SingleUse,
} from './method'

// Seconds. Clients sign for a minute to an hour.
const maxLifetime = 3600
// Seconds that the clocks of clients may differ from this process's.
const leeway = 60

/** The `client_assertion_type` of a JWT (RFC 7523 section 2.2). */
const jwtBearer = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

const keySet: Check<JsonWebKeySet> = (given, name) => {
  const says = keySetFault(given)
  if (says === undefined) return given as JsonWebKeySet
  throw new ConfigurationError(name, given, 'a JSON Web Key Set of public keys', { says })
}

const keySetUrl = mustBeText('an https URL, or an http URL on loopback', (url) =>
  isKeySetUrl(url, { allowLoopback: true }),
)

/** A JWT that the client signs with a key of its own, and that can be used once (RFC 7523 sections 2.2 and 3). */
export const privateKeyJwt: AuthenticationMethod = {
  name: 'private_key_jwt',
  sharesSecret: false,
  credentials: { jwks: nullable(keySet), jwksUri: nullable(keySetUrl) },
  algorithms: assertionAlgorithms,

  keysOf({ jwks = null, jwks_uri: url = null }, { allowLoopback }) {
    if ((jwks === null) === (url === null)) throw invalidMetadata('private_key_jwt needs either jwks or jwks_uri')
    if (typeof url === 'string' && isKeySetUrl(url, { allowLoopback })) return { jwksUri: url }
    if (url !== null) throw invalidMetadata('jwks_uri must be an https URL')
    const fault = keySetFault(jwks)
    if (fault) throw invalidMetadata(`jwks ${fault}`)
    return { jwks: publicPart(jwks as JsonWebKeySet) }
  },

  presented(form) {
    const type = form.get('client_assertion_type')
    if ((type ?? form.get('client_assertion')) === undefined) return undefined
    const assertion = readAssertion(form.required('client_assertion'))
    if (type !== jwtBearer) throw oauthError('invalid_request', `client_assertion_type must be ${jwtBearer}`)
    return { method: privateKeyJwt, clientId: assertion.clientId, verify: (against) => verify(assertion, against) }
  },
}

/** A JWT by which a client authenticates, before anything of it is verified, and whose it claims to be. */
type Assertion = UnverifiedJwt & { jws: string; clientId: string }

function readAssertion(jws: string): Assertion {
  const jwt = readJwt(jws)
  if (!jwt) throw refused('must be a signed JWT', '')
  const { iss, sub } = jwt.claims
  if (typeof sub === 'string' && isClientId(sub) && iss === sub) return { ...jwt, jws, clientId: sub }
  throw refused('must have the client_id as iss and as sub', '')
}

async function verify(assertion: Assertion, { audiences, now, credentials, keysAt }: KnownOfClient) {
  const { jws, clientId } = assertion
  // First, because it needs no look-up and no fetch.
  const signer = signerOf(assertion)
  const once = checkedClaims(assertion, audiences, now)
  const isByKeyOf = async ({ jwks, jwksUri = '' }: ClientCredentials) =>
    isSignedBy(jws, signer, jwks ?? (await keysAt(jwksUri, (set) => hasKeyOf(signer, set))))
  const known = await credentials((some) => isByKeyOf(some).catch(() => false))
  if (!(await isByKeyOf(known))) throw refused('is not signed with a key of the client', clientId)
  return once
}

/** RFC 7515 section 4.1. Members such as `jwk`, `jku` and `x5u` are ignored: the keys come from what is known of the client. */
function signerOf({ header: { alg, kid, typ, crit }, clientId }: Assertion): Signer {
  if (!isAssertionAlgorithm(alg)) throw refused(`must have ${assertionAlgorithms.join(', ')} as alg`, clientId)
  if (kid !== undefined && typeof kid !== 'string') throw refused('must have a string as kid', clientId)
  if (crit !== undefined) throw refused('must not have crit', clientId)
  // A JWT that the client has signed for another purpose is no assertion (RFC 8725 section 3.11).
  const isTyped = typeof typ === 'string' && /^(?:application\/)?(?:jwt|client-authentication\+jwt)$/i.test(typ)
  if (typ !== undefined && !isTyped) throw refused('must have JWT or client-authentication+jwt as typ', clientId)
  return { alg, kid }
}

/** RFC 7523 section 3. @param now In seconds. */
function checkedClaims({ claims, clientId }: Assertion, audiences: readonly string[], now: number): SingleUse {
  const { aud, exp, nbf = 0, iat = 0, jti } = claims
  // Of several audiences, each could use the assertion at the others.
  const isForUs = [aud].flat().length > 0 && [aud].flat().every((one) => audiences.includes(one as string))
  if (!isForUs) throw refused(`must have ${audiences[0]} as aud, and no other server`, clientId)
  if (!isTime(exp) || exp > now + maxLifetime + leeway) throw refused('must have an exp within an hour', clientId)
  if (exp <= now - leeway) throw refused('has expired', clientId)
  if (![nbf, iat].every((time) => isTime(time) && time <= now + leeway)) {
    throw refused('must not have an nbf or iat in the future', clientId)
  }
  if (typeof jti !== 'string' || jti === '') throw refused('must have a jti', clientId)
  // Longer than any process takes the assertion: the clocks of processes differ too.
  return { id: digest('jti', clientId, jti), lifetime: Math.ceil((exp + 2 * leeway - now) * 1000) }
}

function refused(problem: string, clientId: string): OAuthError {
  return authenticationFailed(`client_assertion ${problem}`, clientId)
}
