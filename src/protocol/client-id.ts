/** Whether a text can be a client id: `VSCHAR` of RFC 6749 appendix A.1, 2048 of them at the most. */
export function isClientId(text: string): boolean {
  return /^[\x20-\x7E]{1,2048}$/.test(text)
}
