import type { CredentialSwap, Grant, NewGrant, SwapResult, TokenStore } from 'customer-sign-in/store'
import { type BrokenStore, century, change, ownTime } from './broken-store'

const pause = () => new Promise((resolve) => setImmediate(resolve))

/** Swaps whatever is live, as the swap says. */
async function swapAnyway(sound: TokenStore, swap: CredentialSwap): Promise<SwapResult> {
  const grant = await sound.findGrant(swap.tenantId, swap.grantId)
  return sound.swapCredential({ ...swap, from: grant?.credential?.hash ?? swap.from, resource: undefined })
}

/** Changes the grant after a swap, in the store and in the answer. */
async function swapAndThen(
  sound: TokenStore,
  swap: CredentialSwap,
  members: (grant: Grant, before: Grant) => Partial<Grant>,
) {
  const before = structuredClone(await sound.findGrant(swap.tenantId, swap.grantId))
  const result = await sound.swapCredential(swap)
  if (result.outcome === 'swapped' && before) change(result.grant, members(result.grant, before))
  return result
}

/** Stores that are wrong about the atomic swap. */
export const brokenSwaps: BrokenStore[] = [
  {
    that: 'reads first and writes later',
    defect: (sound) => ({
      async swapCredential(swap) {
        const grant = await sound.findGrant(swap.tenantId, swap.grantId)
        await pause()
        return grant?.credential?.hash === swap.from ? swapAnyway(sound, swap) : sound.swapCredential(swap)
      },
    }),
    foundBy: 'one winner among 200',
  },
  {
    that: 'shows a losing call the grant of before',
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
    that: 'swaps the credential of a grant that has none',
    defect: (sound) => {
      const without = new Map<string, string>()
      return {
        async createGrant(grant) {
          if (grant.credential === undefined) without.set(grant.grantId, grant.tenantId)
          return sound.createGrant(grant)
        },
        async swapCredential(swap) {
          const result = await sound.swapCredential(swap)
          return result.outcome === 'mismatch' && without.has(swap.grantId) ? { ...result, outcome: 'swapped' } : result
        },
      }
    },
    foundBy: 'a grant without a credential is kept',
  },
  {
    that: 'looks at the resource before the credential',
    defect: (sound) => ({
      async swapCredential(swap) {
        const grant = await sound.findGrant(swap.tenantId, swap.grantId)
        const isWrong = grant && swap.resource !== undefined && grant.resource !== swap.resource
        return sound.swapCredential(isWrong ? { ...swap, from: grant.credential?.hash ?? '' } : swap)
      },
    }),
    foundBy: 'mismatch, not wrong_resource',
  },
  {
    that: 'swaps although it says that the resource is wrong',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        if (result.outcome === 'wrong_resource') await swapAnyway(sound, swap)
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
        return repeated ? { ...result, outcome: 'swapped' } : result
      },
    }),
    foundBy: 'shows a repeated attempt that the first one was applied',
  },
  {
    that: 'redeems no refresh token',
    defect: (sound) => ({
      async swapCredential(swap) {
        const grant = await sound.findGrant(swap.tenantId, swap.grantId)
        const isRefresh = grant?.credential?.kind === 'refresh_token'
        return sound.swapCredential(isRefresh ? { ...swap, from: 'nothing' } : swap)
      },
    }),
    foundBy: 'can be repeated with each new credential',
  },
  {
    that: 'keeps the attempt that made a refresh token live',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, (grant, before) => ({ swap: swap.from === swap.to ? before.swap : grant.swap })),
    }),
    foundBy: 'can give the live refresh token to another attempt',
  },
  {
    that: 'adds the lifetime to the old expiry',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, (_, before) => ({ expiresAt: before.expiresAt + swap.lifetime })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'takes an id for one that differs in its last character',
    defect: (sound) => {
      const ids: string[] = []
      return {
        createGrant(grant) {
          ids.push(grant.grantId)
          return sound.createGrant(grant)
        },
        swapCredential(swap) {
          const like = ids.find((id) => id.slice(0, -1) === swap.grantId.slice(0, -1))
          return sound.swapCredential({ ...swap, grantId: like ?? swap.grantId })
        },
      }
    },
    foundBy: 'says missing for a grant that does not exist',
  },
  {
    that: 'forgets the attempt',
    defect: (sound) => ({ swapCredential: (swap) => sound.swapCredential({ ...swap, attempt: '' }) }),
    foundBy: 'shows a repeated attempt that the first one was applied',
  },
  {
    that: 'forgets when the swap was',
    defect: (sound) => ({
      swapCredential: (swap) => swapAndThen(sound, swap, () => ({ swap: undefined })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'swaps a refresh token again, however new it is',
    defect: (sound) => ({ swapCredential: (swap) => sound.swapCredential({ ...swap, rest: 0 }) }),
    foundBy: 'keeps it from being swapped',
  },
  {
    that: 'never swaps a refresh token again that it once found to be new',
    defect: (sound) => ({
      swapCredential: (swap) => sound.swapCredential({ ...swap, rest: swap.rest > 0 ? century : 0 }),
    }),
    foundBy: 'is over when its time has passed',
  },
  {
    that: 'treats the successor of a code as new too',
    defect: (sound) => ({
      async swapCredential(swap) {
        const grant = await sound.findGrant(swap.tenantId, swap.grantId)
        const isNew = swap.rest > 0 && grant?.swap !== undefined && grant.credential?.hash === swap.from
        return isNew ? { outcome: 'fresh', grant, now: ownTime() } : sound.swapCredential(swap)
      },
    }),
    foundBy: 'does not apply to a code',
  },
  {
    that: 'says fresh of a credential that is not live',
    defect: (sound) => ({
      async swapCredential(swap) {
        const grant = await sound.findGrant(swap.tenantId, swap.grantId)
        const isNew = swap.rest > 0 && grant?.swap?.redeemed === 'refresh_token'
        return isNew ? { outcome: 'fresh', grant, now: ownTime() } : sound.swapCredential(swap)
      },
    }),
    foundBy: 'hide no mismatch and no wrong resource',
  },
  {
    that: 'forgets what a swap has redeemed',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, ({ swap: made }) => ({ swap: made && { ...made, redeemed: 'refresh_token' } })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'keeps the authorization request after the code is redeemed',
    defect: (sound) => ({
      swapCredential: (swap) => swapAndThen(sound, swap, (_, { request }) => ({ request })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'leaves the kind of the credential as it was',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, ({ credential }, before) => ({
          credential: credential && { ...credential, kind: before.credential?.kind ?? 'code' },
        })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'leaves the expiry as it was',
    defect: (sound) => ({
      swapCredential: (swap) => swapAndThen(sound, swap, (_, { expiresAt }) => ({ expiresAt })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'never moves the expiry back to an earlier time',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, (grant, before) => ({
          expiresAt: Math.max(grant.expiresAt, before.expiresAt),
        })),
    }),
    foundBy: 'moves the expiry back',
  },
  {
    that: 'ignores the absolute end',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, ({ swap: { at } = { at: 0 } }) => ({ expiresAt: at + swap.lifetime })),
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
    that: 'brings a deleted grant back to life',
    defect: (sound) => {
      const made = new Map<string, NewGrant>()
      return {
        createGrant(grant) {
          made.set(grant.grantId, grant)
          return sound.createGrant(grant)
        },
        async swapCredential(swap) {
          const grant = made.get(swap.grantId)
          if (grant) await sound.createGrant({ ...grant, deadline: swap.deadline })
          return sound.swapCredential(swap)
        },
      }
    },
    foundBy: 'has been deleted',
  },
  {
    that: 'swaps an expired grant',
    defect: (sound) => {
      const made = new Map<string, Grant>()
      return {
        async createGrant(grant) {
          const result = await sound.createGrant(grant)
          if (result.outcome === 'created') made.set(grant.grantId, result.grant)
          return result
        },
        async swapCredential(swap) {
          const result = await sound.swapCredential(swap)
          const grant = made.get(swap.grantId)
          const expired = result.outcome === 'missing' && grant && grant.expiresAt <= result.now
          return expired ? { ...result, outcome: 'swapped', grant } : result
        },
      }
    },
    foundBy: 'says missing for a grant that has expired',
  },
  {
    that: 'remembers nothing of what was redeemed',
    defect: (sound) => ({ swapCredential: (swap) => swapAndThen(sound, swap, () => ({ redeemed: undefined })) }),
    foundBy: 'is what was redeemed last',
  },
  {
    that: 'remembers what was redeemed as whole hashes',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, ({ swap: { at } = { at: 0 } }, { redeemed = [] }) => ({
          redeemed: [...swap.redeems.map((mark) => ({ mark, at })), ...redeemed].slice(0, 16),
        })),
    }),
    foundBy: 'makes the next credential the live one',
  },
  {
    that: 'remembers only what was redeemed last',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, ({ redeemed }) => ({ redeemed: redeemed?.slice(0, swap.redeems.length) })),
    }),
    foundBy: 'is what was redeemed last',
  },
  {
    that: 'remembers the oldest first',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, ({ redeemed = [] }, before) => ({
          redeemed: [...(before.redeemed ?? []), ...redeemed.slice(0, swap.redeems.length)],
        })),
    }),
    foundBy: 'is what was redeemed last, the newest first',
  },
  {
    that: 'remembers more than 16',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, ({ redeemed = [] }, before) => ({
          redeemed:
            before.redeemed && before.redeemed.length >= 16
              ? [...redeemed.slice(0, swap.redeems.length), ...before.redeemed]
              : redeemed,
        })),
    }),
    foundBy: 'is at most 16 credentials',
  },
  {
    that: 'makes room for what was redeemed last by forgetting all the rest',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, ({ redeemed = [] }, before) => ({
          redeemed: before.redeemed?.length === 16 ? redeemed.slice(0, swap.redeems.length) : redeemed,
        })),
    }),
    foundBy: 'is at most 16 credentials',
  },
  {
    that: 'makes room for one credential where a swap redeems several',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, ({ redeemed = [] }, before) => ({
          redeemed:
            before.redeemed?.length === 16
              ? [...redeemed.slice(0, swap.redeems.length), ...before.redeemed.slice(0, 15)]
              : redeemed,
        })),
    }),
    foundBy: 'is at most 16 credentials',
  },
  {
    that: 'remembers what one swap redeems in the opposite order',
    defect: (sound) => ({
      swapCredential: (swap) => sound.swapCredential({ ...swap, redeems: swap.redeems.toReversed() }),
    }),
    foundBy: 'is every credential that one swap redeems',
  },
  {
    that: 'remembers for ever',
    defect: (sound) => ({ swapCredential: (swap) => sound.swapCredential({ ...swap, remember: century }) }),
    foundBy: 'longer ago than the swap says',
  },
  {
    that: 'remembers one credential of several that a swap redeems',
    defect: (sound) => ({ swapCredential: (swap) => sound.swapCredential({ ...swap, redeems: [swap.from] }) }),
    foundBy: 'is every credential that one swap redeems',
  },
  {
    that: 'remembers each credential with the time of the last swap',
    defect: (sound) => ({
      swapCredential: (swap) =>
        swapAndThen(sound, swap, ({ redeemed, swap: { at } = { at: 0 } }) => ({
          redeemed: redeemed?.map(({ mark }) => ({ mark, at })),
        })),
    }),
    foundBy: 'each with its time',
  },
]
