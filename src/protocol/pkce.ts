import { createHash } from 'node:crypto'

/** Whether a text has the form of a code verifier (RFC 7636 section 4.1): 43 to 128 unreserved characters. */
export function isCodeVerifier(text: string): boolean {
  return /^[A-Za-z0-9._~-]{43,128}$/.test(text)
}

/** The S256 code challenge of a code verifier (RFC 7636 section 4.2). */
export function codeChallengeOf(codeVerifier: string): string {
  return createHash('sha256').update(codeVerifier, 'ascii').digest('base64url')
}
