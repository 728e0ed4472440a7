import type { CredentialSwap, Grant, NewGrant, TokenStore } from 'customer-sign-in/store'
import type { BrokenStore } from './broken-store'

/** What a broken store keeps in addition to the sound one. */
function holding(sound: TokenStore, others: () => unknown): Partial<TokenStore> {
  // Like every method of the wrapped store, this answers later.
  const contents = async () => [await (sound as TokenStore & { contents(): Promise<unknown> }).contents(), others()]
  return { contents } as Partial<TokenStore>
}

/** Stores that do not forget. */
export const brokenErasures: BrokenStore[] = [
  {
    that: 'leaves to a later sweep what has expired when a customer’s grants are ended',
    defect: (sound) => {
      let grants: (NewGrant | Grant)[] = []
      const without = ({ tenantId, grantId }: { tenantId: string; grantId: string }) =>
        grants.filter((grant) => grant.tenantId !== tenantId || grant.grantId !== grantId)
      return {
        ...holding(sound, () => grants),
        async createGrant(grant) {
          const result = await sound.createGrant(grant)
          if (result.outcome === 'created') grants.push(grant)
          return result
        },
        async deleteGrant(tenantId, grantId) {
          grants = without({ tenantId, grantId })
          return sound.deleteGrant(tenantId, grantId)
        },
        async *deleteGrants(owner) {
          for await (const grant of sound.deleteGrants(owner)) {
            grants = without(grant)
            yield grant
          }
        },
      }
    },
    foundBy: 'is nothing of a customer all of whose grants had expired',
  },
  {
    that: 'keeps a list of its customers',
    defect: (sound) => {
      const customers: string[] = []
      return {
        ...holding(sound, () => customers),
        createGrant(grant) {
          customers.push(grant.subject)
          return sound.createGrant(grant)
        },
      }
    },
    foundBy: 'is nothing of a customer whose grants have all been ended',
  },
  ...(
    [
      ['the company', ({ tenantId }) => tenantId],
      ['their part of the ids', ({ grantId }) => grantId.slice(0, 12)],
    ] satisfies [string, (grant: NewGrant) => string][]
  ).map(([name, nameOf]) => ({
    that: `keeps an empty index for each customer, named by ${name}`,
    defect: (sound: TokenStore) => {
      const keys = new Set<string>()
      return {
        ...holding(sound, () => [...keys]),
        createGrant(grant: NewGrant) {
          keys.add(`index:${nameOf(grant)}`)
          return sound.createGrant(grant)
        },
      }
    },
    foundBy: 'is nothing of a customer whose grants have all been ended',
  })),
  ...['a customer whose grants have all been ended', 'a tenant that has been deleted'].map((owner) => ({
    that: `keeps the last part of the id of each grant that was refreshed, of ${owner}`,
    defect: (sound: TokenStore) => {
      const ids: string[] = []
      return {
        ...holding(sound, () => ids),
        swapCredential(swap: CredentialSwap) {
          ids.push(swap.grantId.slice(12))
          return sound.swapCredential(swap)
        },
      }
    },
    foundBy: `is nothing of ${owner}`,
  })),
  {
    that: 'ends the grants of the whole tenant where those of one customer are meant',
    defect: (sound) => ({
      deleteGrants: ({ tenantId }) => sound.deleteGrants({ tenantId, all: 'grants' }),
    }),
    foundBy: 'is everything of the other customers',
  },
  {
    that: 'shows nothing of what it holds',
    defect: () => ({ contents: async () => [] }) as Partial<TokenStore>,
    foundBy: 'is everything of the other customers',
  },
]
