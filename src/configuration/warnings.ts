/** The codes of warnings, without `CUSTOMER_SIGN_IN_` (docs/errors.md). */
export const warningCodes = [
  'BASE_URL',
  'SIGNING_KEYS',
  'MEMORY_STORE',
  'PROTECTED_RESOURCE',
  'SCOPES',
  'RETRY_WINDOW',
  'SECRETS',
  'SWEEP',
  'ERROR',
  'EVENT',
] as const

/** Emits a process warning, which tells the operator of something to put right. */
export function warn(code: (typeof warningCodes)[number], message: string): void {
  process.emitWarning(message, { type: 'CustomerSignInWarning', code: `CUSTOMER_SIGN_IN_${code}` })
}
