import { type Grant, type GrantPageRequest, markLength, type RedeemedCredential } from '../contract/token-store'
import { customerHandle, customerHandleLength } from '../protocol/customer-handle'
import { digest } from '../protocol/digest'
import { credentialKinds } from '../protocol/grant-types'

const { code } = credentialKinds

/** A row of the table of grants, as JSON. */
export type GrantRow = ReturnType<typeof encodeGrant> & { expires_at: number }

/**
 * A text as the tables hold it. PostgreSQL has no U+0000 and no half of a surrogate pair in a text: these, and the backslash, become a
 * backslash and four hexadecimal digits.
 */
export function encodeText(text: string): string {
  return text.replace(/[\0\\\p{Surrogate}]/gu, (unit) => `\\${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The same for a value that may be absent. */
export function orNull(text: string | undefined): string | null {
  return text === undefined ? null : encodeText(text)
}

function decodeText(text: string): string {
  return text.includes('\\')
    ? text.replace(/\\([0-9a-f]{4})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    : text
}

/**
 * The id of a grant's row: 8 bytes of the customer's handle, and 8 of a hash of the grant's id. The hash is that of the texts in the table,
 * because every half of a surrogate pair is the same in UTF-8.
 */
export function rowId(tenantId: string, grantId: string): string {
  const hash = digest('grant row', encodeText(tenantId), encodeText(grantId))
  return hexOf(grantId.slice(0, customerHandleLength)) + hexOf(hash)
}

/** Whose grants, as values of a statement: the tenant, the first and the last id that a row of the customer can have, the customer, the client. */
export function ownerValues({ tenantId, subject, clientId }: Omit<GrantPageRequest, 'limit'>): (string | null)[] {
  const customer = subject === undefined ? undefined : hexOf(customerHandle(tenantId, subject))
  const ids = customer === undefined ? [null, null] : [customer + '0'.repeat(16), customer + 'f'.repeat(16)]
  return [encodeText(tenantId), ...ids, orNull(subject), orNull(clientId)]
}

/** The first 8 bytes of a base64url text. */
function hexOf(text: string): string {
  return Buffer.from(text, 'base64url').toString('hex', 0, 8).padEnd(16, '0')
}

/** The authorization request of a code. */
export function encodeRequest({ redirectUri, codeChallenge }: NonNullable<Grant['request']>): string {
  return JSON.stringify([redirectUri, codeChallenge])
}

/** The host's claims, and what a remembered consent is for, if there is any. */
export function encodeClaims({ claims, consentTo }: Pick<Grant, 'claims' | 'consentTo'>): string | null {
  if (consentTo !== undefined) return JSON.stringify([consentTo, claims])
  return claims ? JSON.stringify(claims) : null
}

function decodeClaims(text: string): Pick<Grant, 'claims' | 'consentTo'> {
  const value = JSON.parse(text)
  if (!Array.isArray(value)) return { claims: value }
  const [consentTo, claims] = value
  return { consentTo, ...(claims && { claims }) }
}

/** What is redeemed, as the database adds it to a grant once it knows the time. */
export function encodeMarks(hashes: readonly string[]): string {
  return hashes.map((hash) => `${hash.slice(0, markLength)},`).join('')
}

/** The row of a grant of another store, without its expiry. `here` is what the clock here showed at a time of the clock there. */
export function encodeGrant(grant: Grant, here: (time: number) => number) {
  const { tenantId, grantId, credential, swap, redeemed = [], request, endsAt } = grant
  const isFirstToken = credential?.kind === 'refresh_token' && swap?.redeemed === 'code'
  return {
    created_at: here(grant.createdAt),
    ends_at: endsAt === undefined ? null : here(endsAt),
    swapped_at: swap ? here(swap.at) : null,
    id: rowId(tenantId, grantId),
    kind: isFirstToken ? code.successorLetter : credential ? credentialKinds[credential.kind].letter : 'n',
    tenant_id: encodeText(tenantId),
    grant_id: encodeText(grantId),
    client_id: encodeText(grant.clientId),
    subject: encodeText(grant.subject),
    resource: encodeText(grant.resource),
    scopes: encodeText(grant.scopes.join(' ')),
    claims: encodeClaims(grant),
    hash: credential?.hash ?? null,
    attempt: swap?.attempt ?? null,
    redeemed: redeemed.map(({ mark, at }) => `${mark}${here(at)},`).join(''),
    request: request ? encodeRequest(request) : null,
  }
}

/** @throws {Error} for a row that was written by somebody else or by a later version. */
export function decodeGrant(row: GrantRow): Grant {
  const { kind, attempt, redeemed, claims, request, ends_at, swapped_at } = row
  try {
    const isCode = kind === code.letter
    const [redirectUri, codeChallenge] = request === null ? [] : JSON.parse(request)
    return {
      tenantId: decodeText(row.tenant_id),
      grantId: decodeText(row.grant_id),
      clientId: decodeText(row.client_id),
      subject: decodeText(row.subject),
      scopes: row.scopes === '' ? [] : decodeText(row.scopes).split(' '),
      resource: decodeText(row.resource),
      ...(claims !== null && decodeClaims(claims)),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      ...(ends_at !== null && { endsAt: ends_at }),
      ...(row.hash !== null && { credential: { kind: isCode ? 'code' : 'refresh_token', hash: row.hash } }),
      ...(request !== null && { request: { redirectUri, codeChallenge } }),
      ...(attempt !== null &&
        swapped_at !== null && {
          swap: { attempt, at: swapped_at, redeemed: kind === code.successorLetter ? 'code' : 'refresh_token' },
        }),
      ...(redeemed !== '' && { redeemed: decodeRedeemed(redeemed) }),
    }
  } catch {
    // The parser's own error would quote the row.
    const says = `cannot read the row ${row.id} of the grants: not its own, or of a later version`
    throw Object.assign(new Error(`PostgresTokenStore ${says}`), { name: 'UnreadableRowError' })
  }
}

/** Each entry is a mark, a time and a comma. */
function decodeRedeemed(text: string): RedeemedCredential[] {
  const entries = text.split(',').slice(0, -1)
  return entries.map((entry) => ({ mark: entry.slice(0, markLength), at: Number(entry.slice(markLength)) }))
}
