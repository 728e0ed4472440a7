import { hash } from 'node:crypto'
import { framed, type Part } from './framed'

/**
 * Hashes parts for one purpose: SHA-256 over both, as base64url. The same parts in another order, or for another purpose, give another
 * digest.
 */
export function digest(purpose: string, ...parts: Part[]): string {
  return hash('sha256', framed(purpose, parts), 'base64url')
}
