import { type Grant, markLength, type NewGrant, type RedeemedCredential } from '../contract/token-store'
import { type CredentialKind, credentialKinds } from '../protocol/grant-types'

// Every value begins with its version and ends with a full stop on a line of its own, so that a value of a later version or a truncated
// value is recognised. The scripts read a value by its lines, without JSON.
const version = '1'
const end = '.'

const kinds = Object.entries(credentialKinds) as [CredentialKind, (typeof credentialKinds)[CredentialKind]][]
const kindsByLetter = new Map(kinds.map(([kind, { letter }]) => [letter as string, kind]))
const redeemedByLetter = new Map(kinds.map(([kind, { successorLetter }]) => [successorLetter as string, kind]))

/** By the letter of a live credential, the letter of the refresh token that replaces it. */
export const successorLetters: ReadonlyMap<string, string> = new Map([
  ...kinds.map(([, { letter, successorLetter }]) => [letter, successorLetter] as const),
  ...kinds.map(([, { successorLetter }]) => [successorLetter, credentialKinds.refresh_token.successorLetter] as const),
])

/** The letter of a grant without a credential. */
export const noCredential = 'n'

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
  return {
    resource: encodeResource(resource),
    fixed: JSON.stringify([
      clientId,
      subject,
      scopes.join(' '),
      claims,
      ...(consentTo === undefined ? [] : [consentTo]),
    ]),
    request: request ? encodeRequest(request) : '',
  }
}

/** The line of a grant's value that has the resource. */
export function encodeResource(resource: string): string {
  return JSON.stringify(resource)
}

/** The line of a grant's value that has the authorization request. */
export function encodeRequest({ redirectUri, codeChallenge }: NonNullable<Grant['request']>): string {
  return JSON.stringify([redirectUri, codeChallenge])
}

/** @throws {UnreadableValueError} */
export function decodeGrant(key: string, value: string, tenantId: string, grantId: string): Grant {
  return decode(key, value, ([header = '', resource = '', fixed = '', request, ...more]) => {
    const [, letter = '', hash = '', attempt, at, createdAt, expiresAt, endsAt, redeemed = ''] = header.split(';')
    const redeemedKind = redeemedByLetter.get(letter)
    const kind = kindsByLetter.get(letter) ?? (redeemedKind && 'refresh_token')
    if ((!kind && letter !== noCredential) || (kind === 'code') !== (request !== undefined) || more.length > 0)
      throw new UnreadableValueError(key)
    const [clientId, subject, scope, claims, consentTo] = JSON.parse(fixed)
    const parsedResource: unknown = JSON.parse(resource)
    if (typeof parsedResource !== 'string' || typeof clientId !== 'string' || typeof subject !== 'string')
      throw new UnreadableValueError(key)
    const grant: Grant = {
      tenantId,
      grantId,
      clientId,
      subject,
      scopes: scope === '' ? [] : scope.split(' '),
      resource: parsedResource,
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
    if (attempt && redeemedKind) grant.swap = { attempt, at: Number(at), redeemed: redeemedKind }
    if (redeemed) grant.redeemed = decodeRedeemed(redeemed, Number(at))
    return grant
  })
}

/** Each entry is a mark and its age at the last swap. */
function decodeRedeemed(redeemed: string, swappedAt: number): RedeemedCredential[] {
  return redeemed.split(',').map((entry) => ({
    mark: entry.slice(0, markLength),
    at: swappedAt - Number(entry.slice(markLength)),
  }))
}

function decode<T>(key: string, value: string, read: (lines: string[]) => T): T {
  const lines = value.split('\n')
  if (lines.pop() !== end || !lines[0]?.startsWith(`${version};`)) throw new UnreadableValueError(key)
  try {
    return read(lines)
  } catch {
    throw new UnreadableValueError(key)
  }
}
