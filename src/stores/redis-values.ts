import type { Grant, RegisteredClient } from './token-store'

// Every value begins with its version and ends with a full stop on a line of its own, so that a future or a truncated one is
// known as such. The scripts take a value apart by its lines and know no JSON.
const version = '1'
const end = '.'
const kinds = { code: 'c', refresh_token: 'r' } as const

/** A value under one of our keys that is none of ours, is truncated, or comes from a later version. */
export class UnreadableValueError extends Error {
  constructor(key: string) {
    super(
      `RedisTokenStore cannot read the value of the key ${JSON.stringify(key)}: not its own, truncated, or of a later version`,
    )
    this.name = 'UnreadableValueError'
  }
}

/** The value of a grant's key. The tenant and the grant's id are in the key. */
export function encodeGrant(grant: Grant): string {
  const { credential, swap, expiresAt, endsAt, resource, clientId, subject, scope, createdAt, claims, request } = grant
  const header = [version, kinds[credential.kind], credential.hash, swap?.attempt, swap?.at, expiresAt, endsAt].join(
    ';',
  )
  const lines = [header, encodeResource(resource), JSON.stringify([clientId, subject, scope, createdAt, claims])]
  if (credential.kind === 'code') lines.push(JSON.stringify([request?.redirectUri, request?.codeChallenge]))
  return [...lines, end].join('\n')
}

/** The resource as it stands in the value of a grant. */
export function encodeResource(resource: string): string {
  return JSON.stringify(resource)
}

/** @throws {UnreadableValueError} */
export function decodeGrant(key: string, value: string, tenantId: string, grantId: string): Grant {
  return decoded(key, value, ([header = '', resource = '', fixed = '', request, ...more]) => {
    const [, kind, hash = '', attempt, at, expiresAt, endsAt] = header.split(';')
    if ((kind === kinds.code) !== (request !== undefined) || more.length > 0) throw new UnreadableValueError(key)
    const [clientId, subject, scope, createdAt, claims] = JSON.parse(fixed)
    const [redirectUri, codeChallenge] = request === undefined ? [] : JSON.parse(request)
    return {
      tenantId,
      grantId,
      clientId,
      subject,
      scope,
      resource: JSON.parse(resource),
      ...(claims && { claims }),
      createdAt,
      expiresAt: Number(expiresAt),
      ...(endsAt && { endsAt: Number(endsAt) }),
      credential: { kind: kind === kinds.code ? 'code' : 'refresh_token', hash },
      ...(redirectUri && { request: { redirectUri, codeChallenge } }),
      ...(attempt && { swap: { attempt, at: Number(at) } }),
    }
  })
}

/** The value of a registered client's key. */
export function encodeClient({ tenantId: _, clientId: __, expiresAt, inUse, ...fixed }: RegisteredClient): string {
  return [`${version};${inUse ? 'u' : 'i'};${expiresAt}`, JSON.stringify(fixed), end].join('\n')
}

/** @throws {UnreadableValueError} */
export function decodeClient(key: string, value: string, tenantId: string, clientId: string): RegisteredClient {
  return decoded(key, value, ([header = '', fixed = '']) => {
    const [, use, expiresAt] = header.split(';')
    return {
      tenantId,
      clientId,
      ...JSON.parse(fixed),
      expiresAt: Number(expiresAt),
      ...(use === 'u' && { inUse: true }),
    }
  })
}

function decoded<T>(key: string, value: string, read: (lines: string[]) => T): T {
  const lines = value.split('\n')
  if (lines.pop() !== end || !lines[0]?.startsWith(`${version};`)) throw new UnreadableValueError(key)
  try {
    return read(lines)
  } catch {
    throw new UnreadableValueError(key)
  }
}
