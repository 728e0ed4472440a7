import type { CredentialSwap, Grant, SwapResult, TokenStore } from 'customer-sign-in/store'
import { type StoreCall, wrapStore } from '../../../support/wrap-store'

/** Ways in which a store can be wrong. The checker must notice each of them. */
export type DefectName = 'torn swap' | 'deletes nothing' | 'random missing' | 'wrong subject' | 'forgetful mismatch'

type Defect = (call: StoreCall, store: TokenStore) => Promise<unknown>

const defects: Record<DefectName, Defect> = {
  /** Reads, waits, and then writes, whatever has happened to the record meanwhile. */
  async 'torn swap'({ method, args, apply }, store) {
    if (method !== 'swapCredential') return apply()
    const swap = args[0] as CredentialSwap
    if ((await liveHash(store, swap)) !== swap.from) return apply()
    await new Promise((resolve) => setTimeout(resolve, 20))
    return store.swapCredential({ ...swap, from: (await liveHash(store, swap)) ?? swap.from })
  },

  async 'deletes nothing'({ method, apply }) {
    if (method === 'deleteGrants') return nothing()
    return method === 'deleteGrant' ? true : apply()
  },

  async 'random missing'({ method, apply }) {
    const result = await apply()
    if (Math.random() > 0.03) return result
    if (method === 'swapCredential') return { ...(result as object), outcome: 'missing', grant: undefined }
    return method === 'findGrant' ? undefined : result
  },

  async 'wrong subject'({ method, apply }) {
    const result = await apply()
    if (method !== 'swapCredential' || Math.random() > 0.05) return result
    const { grant, ...others } = result as { grant?: Grant }
    return { ...others, ...(grant && { grant: { ...grant, subject: 'somebody else' } }) }
  },

  /** Applies the swap, says that it did not, and does not recognise the attempt later. */
  async 'forgetful mismatch'({ method, apply }) {
    const result = await apply()
    if (method !== 'swapCredential' || Math.random() > 0.05) return result
    const { outcome, grant } = result as Extract<SwapResult, { grant: Grant }>
    if (outcome !== 'swapped' || !grant.swap) return result
    return { ...(result as object), outcome: 'mismatch', grant: { ...grant, swap: { ...grant.swap, attempt: '' } } }
  },
}

async function* nothing(): AsyncGenerator<never> {}

export const defectNames = Object.keys(defects) as DefectName[]

/** The store, with a defect if one is named. */
export function defective(store: TokenStore, name: DefectName | undefined): TokenStore {
  return name === undefined ? store : wrapStore(store, (call) => defects[name](call, store))
}

async function liveHash(store: TokenStore, { tenantId, grantId }: CredentialSwap): Promise<string | undefined> {
  return (await store.findGrant(tenantId, grantId))?.credential?.hash
}
