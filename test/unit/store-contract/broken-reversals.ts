import type { Grant, SwapReversal, TokenStore } from 'customer-sign-in/store'
import { type BrokenStore, change, ownTime } from './broken-store'

/** Reverses a swap, and then changes the resulting grant. */
async function reverseAndThen(
  sound: TokenStore,
  reversal: SwapReversal,
  members: (grant: Grant, before: Grant) => Partial<Grant>,
) {
  const before = structuredClone(await sound.findGrant(reversal.tenantId, reversal.grantId))
  const result = await sound.reverseSwap(reversal)
  const grant = await sound.findGrant(reversal.tenantId, reversal.grantId)
  if (result.outcome === 'reversed' && grant && before) change(grant, members(grant, before))
  return result
}

/** A reversal that matches any swap that made the credential `to` the live one. */
async function ofAnyAttempt(sound: TokenStore, reversal: SwapReversal): Promise<SwapReversal> {
  const grant = await sound.findGrant(reversal.tenantId, reversal.grantId)
  return { ...reversal, attempts: [grant?.swap?.attempt ?? ''] }
}

/** Stores that reverse a swap wrongly. */
export const brokenReversals: BrokenStore[] = [
  {
    that: 'reverses nothing',
    defect: () => ({ reverseSwap: async () => ({ outcome: 'reversed', now: ownTime() }) }),
    foundBy: 'live again that the swap redeemed',
  },
  {
    that: 'reverses the swap of any attempt',
    defect: (sound) => ({
      reverseSwap: async (reversal) => sound.reverseSwap(await ofAnyAttempt(sound, reversal)),
    }),
    foundBy: 'reverses only the swaps of its attempts',
  },
  {
    that: 'reverses an attempt whatever it made live',
    defect: (sound) => ({
      async reverseSwap(reversal) {
        const grant = await sound.findGrant(reversal.tenantId, reversal.grantId)
        return sound.reverseSwap({ ...reversal, to: grant?.credential?.hash ?? '' })
      },
    }),
    foundBy: 'reverses only the swaps of its attempts',
  },
  {
    that: 'looks at the first of several attempts',
    defect: (sound) => ({
      reverseSwap: (reversal) => sound.reverseSwap({ ...reversal, attempts: reversal.attempts.slice(0, 1) }),
    }),
    foundBy: 'makes the newest of several redeemed credentials live again',
  },
  {
    that: 'reverses more than the last swap',
    defect: (sound) => {
      const swaps = new Map<string, string>()
      return {
        async swapCredential(swap) {
          const result = await sound.swapCredential(swap)
          if (result.outcome === 'swapped') swaps.set(swap.to, swap.attempt)
          return result
        },
        async reverseSwap(reversal) {
          const result = await sound.reverseSwap(reversal)
          const grant = await sound.findGrant(reversal.tenantId, reversal.grantId)
          const wasApplied = reversal.attempts.includes(swaps.get(reversal.to) ?? '')
          if (result.outcome !== 'mismatch' || !wasApplied || !grant) return result
          change(grant, { credential: reversal.credential })
          return { ...result, outcome: 'reversed' }
        },
      }
    },
    foundBy: 'reverses only the swaps of its attempts',
  },
  {
    that: 'reverses what it has looked at a moment before',
    defect: (sound) => ({
      async reverseSwap(reversal) {
        const before = structuredClone(await sound.findGrant(reversal.tenantId, reversal.grantId))
        await Promise.resolve()
        const isMeant =
          before?.credential?.hash === reversal.to && reversal.attempts.includes(before.swap?.attempt ?? '')
        const grant = await sound.findGrant(reversal.tenantId, reversal.grantId)
        if (!isMeant || !grant) return sound.reverseSwap(reversal)
        return sound.reverseSwap({
          ...reversal,
          to: grant.credential?.hash ?? '',
          attempts: [grant.swap?.attempt ?? ''],
        })
      },
    }),
    foundBy: 'do not both succeed',
  },
  {
    that: 'forgets the request of a code',
    defect: (sound) => ({
      reverseSwap: (reversal) => reverseAndThen(sound, reversal, () => ({ request: undefined })),
    }),
    foundBy: 'restores the request and the lifetime of a code',
  },
  {
    that: 'lets a code live as long as its refresh token would have',
    defect: (sound) => ({
      reverseSwap: (reversal) => reverseAndThen(sound, reversal, (_, { expiresAt }) => ({ expiresAt })),
    }),
    foundBy: 'restores the request and the lifetime of a code',
  },
  {
    that: 'gives a code that is live again an hour',
    defect: (sound) => ({
      reverseSwap: ({ code, ...reversal }) =>
        sound.reverseSwap({ ...reversal, ...(code && { code: { ...code, lifetime: 3_600_000 } }) } as SwapReversal),
    }),
    foundBy: 'restores the request and the lifetime of a code',
  },
  {
    that: 'counts the lifetime of a code from the reversal',
    defect: (sound) => ({
      async reverseSwap(reversal) {
        if (!reversal.code) return sound.reverseSwap(reversal)
        const { createdAt = 0 } = (await sound.findGrant(reversal.tenantId, reversal.grantId)) ?? {}
        const lifetime = reversal.code.lifetime + ownTime() - createdAt
        return sound.reverseSwap({ ...reversal, code: { ...reversal.code, lifetime } })
      },
    }),
    foundBy: 'does not revive a code',
  },
  {
    that: 'leaves the swap of a code that is live again',
    defect: (sound) => ({
      reverseSwap: (reversal) => reverseAndThen(sound, reversal, (_, { swap }) => ({ swap })),
    }),
    foundBy: 'restores the request and the lifetime of a code',
  },
  {
    that: 'takes every credential for a refresh token',
    defect: (sound) => ({
      reverseSwap: (reversal) =>
        reverseAndThen(sound, reversal, ({ credential }) => ({
          credential: credential && { ...credential, kind: 'refresh_token' },
        })),
    }),
    foundBy: 'restores the request and the lifetime of a code',
  },
  {
    that: 'moves the expiry of a grant whose refresh token is live again',
    defect: (sound) => ({
      reverseSwap: (reversal) =>
        reverseAndThen(sound, reversal, ({ createdAt, expiresAt }) => ({
          expiresAt: reversal.code ? expiresAt : createdAt + 1000,
        })),
    }),
    foundBy: 'live again that the swap redeemed',
  },
  {
    that: 'still remembers what is live again',
    defect: (sound) => ({
      reverseSwap: (reversal) => reverseAndThen(sound, reversal, (_, { redeemed }) => ({ redeemed })),
    }),
    foundBy: 'live again that the swap redeemed',
  },
  {
    that: 'forgets everything that was redeemed',
    defect: (sound) => ({
      reverseSwap: (reversal) => reverseAndThen(sound, reversal, () => ({ redeemed: undefined })),
    }),
    foundBy: 'live again that the swap redeemed',
  },
  {
    that: 'forgets all that one swap redeemed',
    defect: (sound) => ({
      reverseSwap: (reversal) =>
        reverseAndThen(sound, reversal, (_, { redeemed = [], swap }) => ({
          redeemed: redeemed.filter(({ at }) => at !== swap?.at),
        })),
    }),
    foundBy: 'still remembers the others',
  },
  {
    that: 'makes live again what was live before, not what it is told',
    defect: (sound) => {
      const before = new Map<string, string>()
      return {
        async swapCredential(swap) {
          const { credential } = (await sound.findGrant(swap.tenantId, swap.grantId)) ?? {}
          const result = await sound.swapCredential(swap)
          if (result.outcome === 'swapped' && credential) before.set(swap.to, credential.hash)
          return result
        },
        async reverseSwap(reversal) {
          if (reversal.code) return sound.reverseSwap(reversal)
          const hash = before.get(reversal.to) ?? reversal.credential.hash
          return sound.reverseSwap({ ...reversal, credential: { kind: 'refresh_token', hash } })
        },
      }
    },
    foundBy: 'makes the newest of several redeemed credentials live again',
  },
  {
    that: 'reverses a swap twice',
    defect: (sound) => {
      const reversed = new Set<string>()
      return {
        async reverseSwap(reversal) {
          const result = await sound.reverseSwap(reversal)
          const again = result.outcome === 'mismatch' && reversed.has(reversal.attempts.join())
          if (result.outcome === 'reversed') reversed.add(reversal.attempts.join())
          return again ? { ...result, outcome: 'reversed' } : result
        },
      }
    },
    foundBy: 'reverses a swap only once',
  },
  {
    that: 'brings a deleted grant back to life when it reverses a swap',
    defect: (sound) => {
      const deleted = new Map<string, Grant>()
      return {
        async deleteGrant(...ids) {
          const grant = await sound.findGrant(...ids)
          if (grant) deleted.set(grant.grantId, grant)
          return sound.deleteGrant(...ids)
        },
        async reverseSwap(reversal) {
          const result = await sound.reverseSwap(reversal)
          const grant = deleted.get(reversal.grantId)
          if (result.outcome !== 'missing' || !grant) return result
          const request = { redirectUri: '', codeChallenge: '' }
          const credential = { kind: 'code', hash: reversal.credential.hash } as const
          await sound.createGrant({ ...grant, credential, request, lifetime: 60_000, deadline: reversal.deadline })
          return { ...result, outcome: 'reversed' }
        },
      }
    },
    foundBy: 'does not bring back a grant',
  },
]
