const algorithms = ['ES256', 'ES384', 'RS256', 'PS256'] as const

/** The algorithms that access tokens can be signed with (RFC 7518 section 3.1). @useDeclaredType */
export type SigningAlgorithm = (typeof algorithms)[number]

/** Whether it is the name of one of them. */
export function isSigningAlgorithm(name: unknown): name is SigningAlgorithm {
  return algorithms.some((known) => known === name)
}
