/** Whether a text can be a client id: 1 to 2048 characters of printable ASCII (`VSCHAR` in RFC 6749 appendix A.1). */
export function isClientId(text: string): boolean {
  return /^[\x20-\x7E]{1,2048}$/.test(text)
}
