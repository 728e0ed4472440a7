import type { CredentialSwap, Grant } from '../../src/contract/token-store'
import { Swaps } from '../../src/grants/swaps'
import type { GuardedStore } from '../../src/host/guarded-store'

const grant = { tenantId: 'acme', grantId: 'grant', credential: { kind: 'refresh_token', hash: 'live' } } as Grant

/** The names of three attempts. */
export async function attemptsOf(swaps: { Swaps: typeof Swaps }): Promise<string[]> {
  const attempts: string[] = []
  const swapCredential = async ({ attempt }: CredentialSwap) => {
    attempts.push(attempt)
    return { outcome: 'missing', now: 0 }
  }
  const patience = () => ({ giveUpAt: performance.now() + 1000, timeout: 1000 })
  const made = new swaps.Swaps({ patience, swapCredential } as unknown as GuardedStore)
  for (let count = 0; count < 3; count++) await made.keep(grant, { remember: 0, lifetime: 1000 })
  return attempts
}

// As a process of its own, it sends them to the one that has started it.
if (process.argv[1] === __filename) void attemptsOf({ Swaps }).then((attempts) => process.send?.(attempts))
