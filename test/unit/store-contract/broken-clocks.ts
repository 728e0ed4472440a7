import type { CreateResult, SwapResult, TokenStore } from 'customer-sign-in/store'
import { type BrokenStore, century, change, ownTime } from './broken-store'

/** How far the clock of this host is ahead of the store's. */
const ahead = () => Date.now() - ownTime()

/** Changes the time in every answer of a store. */
function answering(
  sound: TokenStore,
  told: <Result extends { outcome: string; now: number }>(result: Result) => Result,
): Partial<TokenStore> {
  return {
    createGrant: async (grant) => told<CreateResult>(await sound.createGrant(grant)),
    swapCredential: async (swap) => told<SwapResult>(await sound.swapCredential(swap)),
    reverseSwap: async (reversal) => told(await sound.reverseSwap(reversal)),
  }
}

/** Leaves the time out of every answer with this outcome. */
function silentAbout(outcome: string): BrokenStore {
  return {
    that: `does not tell the time where it says ${outcome}`,
    defect: (sound) =>
      answering(sound, (result) => (result.outcome === outcome ? { ...result, now: undefined } : result)),
    foundBy: 'is in every answer',
  }
}

/** Stores that are wrong about the time and about deadlines. */
export const brokenClocks: BrokenStore[] = [
  ...['created', 'taken', 'late', 'swapped', 'mismatch', 'wrong_resource', 'missing', 'reversed'].map(silentAbout),
  {
    that: 'tells no time at all',
    defect: (sound) => answering(sound, (result) => ({ ...result, now: undefined })),
    foundBy: 'is in every answer',
  },
  {
    that: 'tells a time that is behind what it has written',
    defect: (sound) => answering(sound, (result) => ({ ...result, now: result.now - 1000 })),
    foundBy: 'is in every answer',
  },
  {
    that: 'tells the time at which the credential became live',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        return result.outcome === 'mismatch' ? { ...result, now: result.grant.createdAt - 1 } : result
      },
    }),
    foundBy: 'is in every answer',
  },
  {
    that: 'reads its clock before it waits for a grant',
    defect: (sound) => {
      let before: Promise<unknown> = Promise.resolve()
      return {
        async swapCredential(swap) {
          const now = ownTime()
          const turn = before.then(() => new Promise((resolve) => setTimeout(resolve, 1)))
          before = turn
          await turn
          return { ...(await sound.swapCredential(swap)), now }
        },
      }
    },
    foundBy: 'tells the time at which it decides',
  },
  {
    that: 'notes the creation by the clock of its host',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        if (result.outcome === 'created') change(result.grant, { createdAt: Date.now() })
        return result
      },
    }),
    foundBy: 'is not the clock of a host that is a day behind',
  },
  {
    that: 'says that each grant was created an hour ago',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        if (result.outcome === 'created') change(result.grant, { createdAt: result.grant.createdAt - 3_600_000 })
        return result
      },
    }),
    foundBy: 'decides when a grant was created',
  },
  {
    that: 'tells an earlier time with each call that is late',
    defect: (sound) => {
      let hours = 0
      return answering(sound, (result) =>
        result.outcome === 'late' ? { ...result, now: result.now - 3_600_000 * hours++ } : result,
      )
    },
    foundBy: 'refuses to create a grant after its deadline',
  },
  {
    that: 'notes a swap by the clock of its host',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        if (result.outcome !== 'swapped' || !result.grant.swap) return result
        change(result.grant, { swap: { ...result.grant.swap, at: Date.now() } })
        return result
      },
    }),
    foundBy: 'is not the clock of a host that is a day ahead',
  },
  {
    that: 'notes a swap a minute ahead of the time that it tells',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        if (result.outcome !== 'swapped' || !result.grant.swap) return result
        change(result.grant, { swap: { ...result.grant.swap, at: result.now + 60_000 } })
        return result
      },
    }),
    foundBy: 'is in every answer',
  },
  {
    that: 'moves the expiry by the clock of its host',
    defect: (sound) => ({
      swapCredential: (swap) => sound.swapCredential({ ...swap, lifetime: swap.lifetime + ahead() }),
    }),
    foundBy: 'is not the clock of a host that is a day ahead',
  },
  {
    that: 'lets grants expire by the clock of its host',
    defect: (sound) => ({
      async findGrant(...ids) {
        const grant = await sound.findGrant(...ids)
        return grant && grant.expiresAt > Date.now() ? grant : undefined
      },
    }),
    foundBy: 'is not the clock of a host that is a day ahead',
  },
  {
    that: 'compares a deadline with the clock of its host',
    defect: (sound) => ({
      createGrant: (grant) => sound.createGrant({ ...grant, deadline: grant.deadline - ahead() }),
    }),
    foundBy: 'is not the clock of a host that is a day ahead',
  },
  {
    that: 'tells the time of its host',
    defect: (sound) => answering(sound, (result) => ({ ...result, now: Date.now() })),
    foundBy: 'is not the clock of a host that is a day behind',
  },
  {
    that: 'creates a grant after the deadline',
    defect: (sound) => ({ createGrant: (grant) => sound.createGrant({ ...grant, deadline: century * 100 }) }),
    foundBy: 'refuses to create a grant after its deadline',
  },
  {
    that: 'creates a grant although it says late',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        if (result.outcome === 'late') await sound.createGrant({ ...grant, deadline: century * 100 })
        return result
      },
    }),
    foundBy: 'refuses to create a grant after its deadline',
  },
  {
    that: 'creates a grant at the very deadline',
    defect: (sound) => ({ createGrant: (grant) => sound.createGrant({ ...grant, deadline: grant.deadline + 1 }) }),
    foundBy: 'refuses to create a grant after its deadline',
  },
  {
    that: 'swaps after the deadline',
    defect: (sound) => ({ swapCredential: (swap) => sound.swapCredential({ ...swap, deadline: century * 100 }) }),
    foundBy: 'writes nothing after the deadline',
  },
  {
    that: 'swaps although it says late',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        if (result.outcome === 'late') await sound.swapCredential({ ...swap, deadline: century * 100 })
        return result
      },
    }),
    foundBy: 'writes nothing after the deadline',
  },
  {
    that: 'lets the deadline hide that another credential is live',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        const hides = result.outcome === 'mismatch' && result.now >= swap.deadline
        return hides ? { outcome: 'late', now: result.now } : result
      },
    }),
    foundBy: 'the deadline hide no mismatch',
  },
  {
    that: 'lets the deadline hide that the resource is wrong',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        const hides = result.outcome === 'wrong_resource' && result.now >= swap.deadline
        return hides ? { outcome: 'late', now: result.now } : result
      },
    }),
    foundBy: 'the deadline hide no mismatch',
  },
  {
    that: 'reverses a swap after the deadline',
    defect: (sound) => ({ reverseSwap: (reversal) => sound.reverseSwap({ ...reversal, deadline: century * 100 }) }),
    foundBy: 'reverses nothing after its deadline',
  },
  {
    that: 'reverses a swap although it says late',
    defect: (sound) => ({
      async reverseSwap(reversal) {
        const result = await sound.reverseSwap(reversal)
        if (result.outcome === 'late') await sound.reverseSwap({ ...reversal, deadline: century * 100 })
        return result
      },
    }),
    foundBy: 'reverses nothing after its deadline',
  },
]
