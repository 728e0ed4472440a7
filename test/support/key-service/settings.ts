import type { SigningAlgorithm } from 'customer-sign-in'

/** How the service behaves. */
export type KeyServiceMood = 'signs' | 'fails' | 'hangs' | 'signs with another key'

/** The settings of a key service, as JSON in its environment. */
export interface KeyServiceSettings {
  algorithm: SigningAlgorithm
  /** How it encodes the signatures of an EC key. */
  encoding: 'der' | 'ieee-p1363'
  /** PEM. */
  privateKey: string
}
