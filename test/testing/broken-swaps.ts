import type { CredentialSwap, Grant, SwapResult, TokenStore } from 'customer-sign-in'
import type { BrokenStore } from './broken-store'

const pause = () => new Promise((resolve) => setImmediate(resolve))

/** Swaps whatever is live, as the swap says. */
async function swapAnyway(sound: TokenStore, swap: CredentialSwap): Promise<SwapResult> {
  const grant = await sound.findGrant(swap.tenantId, swap.grantId)
  if (!grant) return { outcome: 'missing' }
  return sound.swapCredential({ ...swap, from: grant.credential.hash, resource: undefined })
}

/** Changes the grant that a swap has made, in the store and in the answer. */
async function swapAndThen(sound: TokenStore, swap: CredentialSwap, change: (grant: Grant, before: Grant) => Grant) {
  const before = await sound.findGrant(swap.tenantId, swap.grantId)
  const result = await sound.swapCredential(swap)
  if (result.outcome !== 'swapped' || !before) return result
  const grant = change(result.grant, before)
  await sound.deleteGrant(grant.tenantId, grant.grantId)
  await sound.createGrant(grant)
  return { outcome: 'swapped' as const, grant }
}

/** Stores that are wrong about the one atomic step. */
export const brokenSwaps: BrokenStore[] = [
  {
    that: 'reads first and writes later',
    defect: (sound) => ({
      async swapCredential(swap) {
        const grant = await sound.findGrant(swap.tenantId, swap.grantId)
        await pause()
        return grant?.credential.hash === swap.from ? swapAnyway(sound, swap) : sound.swapCredential(swap)
      },
    }),
    foundBy: 'one winner among 200',
  },
  {
    that: 'shows who loses the grant from before',
    defect: (sound) => ({
      async swapCredential(swap) {
        const before = structuredClone(await sound.findGrant(swap.tenantId, swap.grantId))
        await pause()
        const result = await sound.swapCredential(swap)
        return before && result.outcome === 'mismatch' ? { ...result, grant: before } : result
      },
    }),
    foundBy: 'one winner among 200',
  },
  {
    that: 'swaps whatever is live',
    defect: (sound) => ({ swapCredential: (swap) => swapAnyway(sound, swap) }),
    foundBy: 'says mismatch, with the grant',
  },
  {
    that: 'ignores the resource',
    defect: (sound) => ({ swapCredential: (swap) => sound.swapCredential({ ...swap, resource: undefined }) }),
    foundBy: 'only the resource of the grant',
  },
  {
    that: 'looks at the resource before the credential',
    defect: (sound) => ({
      async swapCredential(swap) {
        const grant = await sound.findGrant(swap.tenantId, swap.grantId)
        const refused = grant && swap.resource !== undefined && grant.resource !== swap.resource
        return refused ? { outcome: 'refused', grant } : sound.swapCredential(swap)
      },
    }),
    foundBy: 'mismatch, not refused',
  },
  {
    that: 'swaps although it refuses',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        if (result.outcome === 'refused') await swapAnyway(sound, swap)
        return result
      },
    }),
    foundBy: 'writes nothing otherwise',
  },
  {
    that: 'takes a repeated attempt for a new success',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        const repeated = result.outcome === 'mismatch' && result.grant.swap?.attempt === swap.attempt
        return repeated ? { outcome: 'swapped', grant: result.grant } : result
      },
    }),
    foundBy: 'shows a repeated attempt its own work',
  },
  {
    that: 'forgets the attempt',
    defect: (sound) => ({ swapCredential: (swap) => sound.swapCredential({ ...swap, attempt: '' }) }),
    foundBy: 'shows a repeated attempt its own work',
  },
  {
    that: 'forgets when the swap was',
    defect: (sound) => ({
      swapCredential: (swap) => swapAndThen(sound, swap, (grant) => ({ ...grant, swap: undefined })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'keeps the authorization request after the code is redeemed',
    defect: (sound) => ({
      swapCredential: (swap) => swapAndThen(sound, swap, (grant, { request }) => ({ ...grant, request })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'leaves the kind of the credential as it was',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, (grant, before) => ({
          ...grant,
          credential: { ...grant.credential, kind: before.credential.kind },
        })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'leaves the expiry as it was',
    defect: (sound) => ({
      swapCredential: (swap) => swapAndThen(sound, swap, (grant, { expiresAt }) => ({ ...grant, expiresAt })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'never moves the expiry back to an earlier time',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, (grant, before) => ({
          ...grant,
          expiresAt: Math.max(grant.expiresAt, before.expiresAt),
        })),
    }),
    foundBy: 'expiry',
  },
  {
    that: 'ignores the absolute end',
    defect: (sound) => ({
      swapCredential: (swap) => swapAndThen(sound, swap, (grant) => ({ ...grant, expiresAt: swap.expiresAt })),
    }),
    foundBy: 'never moves the expiry past the end',
  },
  {
    that: 'answers with the grant as it was before',
    defect: (sound) => ({
      async swapCredential(swap) {
        const before = structuredClone(await sound.findGrant(swap.tenantId, swap.grantId))
        const result = await sound.swapCredential(swap)
        return before && result.outcome === 'swapped' ? { ...result, grant: before } : result
      },
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'knows no time but its own',
    defect: (sound) => ({ swapCredential: (swap) => sound.swapCredential({ ...swap, now: Date.now() }) }),
    foundBy: 'takes the time of its caller',
  },
  {
    that: 'knows no time but its caller’s, in what it writes',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, (grant) => ({ ...grant, swap: { attempt: swap.attempt, at: swap.now } })),
    }),
    foundBy: 'takes its own time',
  },
  {
    that: 'swaps what has expired by its own clock',
    defect: (sound) => {
      const made = new Map<string, Grant>()
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          made.set(grant.grantId, structuredClone(grant))
        },
        async swapCredential(swap) {
          const grant = made.get(swap.grantId)
          const expired = grant !== undefined && grant.expiresAt <= Date.now()
          if (!expired || grant.expiresAt <= swap.now) return sound.swapCredential(swap)
          await sound.createGrant({ ...grant, expiresAt: Date.now() + 1000 })
          return sound.swapCredential(swap)
        },
      }
    },
    foundBy: 'expired by its own clock',
  },
  {
    that: 'swaps what has expired by the clock of its caller',
    defect: (sound) => ({ swapCredential: (swap) => sound.swapCredential({ ...swap, now: 0 }) }),
    foundBy: 'expired by the time of the caller',
  },
  {
    that: 'brings a deleted grant back to life',
    defect: (sound) => {
      const made = new Map<string, Grant>()
      return {
        async createGrant(grant) {
          await sound.createGrant(grant)
          made.set(grant.grantId, grant)
        },
        async swapCredential(swap) {
          const grant = made.get(swap.grantId)
          if (grant && !(await sound.findGrant(swap.tenantId, swap.grantId))) await sound.createGrant(grant)
          return sound.swapCredential(swap)
        },
      }
    },
    foundBy: 'has been deleted',
  },
]
