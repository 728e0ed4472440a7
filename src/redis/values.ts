import { type Grant, markLength, type NewGrant, type RedeemedCredential } from '../contract/token-store'
import { type CredentialKind, credentialKinds } from '../protocol/grant-types'

const { code, refresh_token: refreshToken } = credentialKinds

/** By the letter of a refresh token, the kind of credential that it has replaced. */
const replacedKinds = new Map<string, CredentialKind>([
  [code.successorLetter, 'code'],
  [refreshToken.letter, 'refresh_token'],
])

/** The value of one of our keys was written by somebody else or by a later version, or is truncated. */
export class UnreadableValueError extends Error {
  constructor(key: string) {
    super(
      `RedisTokenStore cannot read the value of the key ${JSON.stringify(key)}: not its own, truncated, or of a later version`,
    )
    this.name = 'UnreadableValueError'
  }
}

/** The lines of a new grant's value after its header. The server writes the header, because it knows the time. */
export function encodeNewGrant({ resource, clientId, subject, scopes, claims, consentTo, request }: NewGrant) {
  const consent = consentTo === undefined ? [] : [consentTo]
  return {
    resource: JSON.stringify(resource),
    fixed: JSON.stringify([clientId, subject, scopes.join(' '), claims, ...consent]),
    request: request ? encodeRequest(request) : '',
  }
}

/** The line of a grant's value that has the authorization request. */
export function encodeRequest({ redirectUri, codeChallenge }: NonNullable<Grant['request']>): string {
  return JSON.stringify([redirectUri, codeChallenge])
}

/**
 * Reads a value by its lines, as the scripts do. It begins with its version and ends with a full stop on a line of its own, so that one of a
 * later version, or one that is truncated, is recognised.
 *
 * @throws {UnreadableValueError}
 */
export function decodeGrant(key: string, value: string, tenantId: string, grantId: string): Grant {
  try {
    const lines = value.split('\n')
    const isWhole = lines.pop() === '.'
    const [header = '', resourceLine = '', fixed = '', request, ...more] = lines
    const [version, letter = '', hash = '', attempt, at, createdAt, expiresAt, endsAt, redeemed] = header.split(';')
    const replaced = replacedKinds.get(letter)
    const kind = letter === code.letter ? 'code' : replaced && 'refresh_token'
    const isOurs = version === '1' && (kind || letter === 'n') && redeemed !== undefined && more.length === 0
    const [clientId, subject, scope, claims, consentTo] = JSON.parse(fixed)
    const resource: unknown = JSON.parse(resourceLine)
    if (!isWhole || !isOurs || (kind === 'code') !== (request !== undefined)) throw new SyntaxError()
    if (typeof resource !== 'string' || typeof clientId !== 'string' || typeof subject !== 'string')
      throw new TypeError()
    const grant: Grant = {
      tenantId,
      grantId,
      clientId,
      subject,
      scopes: scope === '' ? [] : scope.split(' '),
      resource,
      createdAt: Number(createdAt),
      expiresAt: Number(expiresAt),
    }
    if (kind) grant.credential = { kind, hash }
    // Every refresh reads a grant, and spreading each of these members into it would take as long as all of the rest.
    if (claims) grant.claims = claims
    if (consentTo) grant.consentTo = consentTo
    if (endsAt) grant.endsAt = Number(endsAt)
    if (request !== undefined) {
      const [redirectUri, codeChallenge] = JSON.parse(request)
      grant.request = { redirectUri, codeChallenge }
    }
    if (attempt && replaced) grant.swap = { attempt, at: Number(at), redeemed: replaced }
    if (redeemed) grant.redeemed = decodeRedeemed(redeemed, Number(at))
    return grant
  } catch {
    throw new UnreadableValueError(key)
  }
}

/** Each entry is a mark and its age at the last swap. */
function decodeRedeemed(redeemed: string, swappedAt: number): RedeemedCredential[] {
  return redeemed.split(',').map((entry) => ({
    mark: entry.slice(0, markLength),
    at: swappedAt - Number(entry.slice(markLength)),
  }))
}
