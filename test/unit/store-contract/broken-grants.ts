import type { Grant, GrantOwner } from 'customer-sign-in/store'
import { type BrokenStore, century, change, ownTime } from './broken-store'

/** Stores that are wrong about creating, finding, listing and ending grants. */
export const brokenGrants: BrokenStore[] = [
  {
    that: 'overwrites a grant whose id is taken',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        if (result.outcome !== 'taken') return result
        await sound.deleteGrant(grant.tenantId, grant.grantId)
        await sound.createGrant(grant)
        return result
      },
    }),
    foundBy: 'say taken if the id is taken',
  },
  {
    that: 'says that it has created a grant that existed already',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        return result.outcome === 'taken' ? { ...result, outcome: 'created' } : result
      },
    }),
    foundBy: 'say taken if the id is taken',
  },
  {
    that: 'answers with the new grant if an older one has its id',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        if (result.outcome !== 'taken') return result
        return { ...result, grant: { ...result.grant, scopes: grant.scopes, credential: grant.credential } }
      },
    }),
    foundBy: 'say taken if the id is taken',
  },
  {
    that: 'keeps the id of a grant that has expired taken',
    defect: (sound) => {
      const made = new Map<string, Grant>()
      return {
        async createGrant(grant) {
          const id = grant.tenantId + grant.grantId
          const [taken, live] = [made.get(id), await sound.findGrant(grant.tenantId, grant.grantId)]
          if (taken && !live) return { outcome: 'taken', grant: taken, now: ownTime() }
          const result = await sound.createGrant(grant)
          if (result.outcome === 'created') made.set(id, result.grant)
          return result
        },
      }
    },
    foundBy: 'under the id of one that has expired',
  },
  {
    that: 'keeps the object that it was given',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        if (result.outcome === 'created') change(result.grant, { claims: grant.claims })
        return result
      },
    }),
    foundBy: 'do not share objects',
  },
  {
    that: 'drops the claims',
    defect: (sound) => ({ createGrant: (grant) => sound.createGrant({ ...grant, claims: undefined }) }),
    foundBy: 'return the grant as it was stored',
  },
  {
    that: 'drops what a remembered consent is for',
    defect: (sound) => ({ createGrant: (grant) => sound.createGrant({ ...grant, consentTo: undefined }) }),
    foundBy: 'return the grant as it was stored',
  },
  {
    that: 'drops what a remembered consent is for once the code is redeemed',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        if (result.outcome === 'swapped') change(result.grant, { consentTo: undefined })
        return result
      },
    }),
    foundBy: 'keep what a remembered consent is for',
  },
  {
    that: 'drops the absolute end',
    defect: (sound) => ({ createGrant: (grant) => sound.createGrant({ ...grant, endsAfter: undefined }) }),
    foundBy: 'return the grant as it was stored',
  },
  {
    that: 'lets a grant live longer than it may until its code is redeemed',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        if (result.outcome === 'created') {
          change(result.grant, { expiresAt: result.grant.createdAt + grant.lifetime })
        }
        return result
      },
    }),
    foundBy: 'never let a grant live longer than it may',
  },
  {
    that: 'stores absent members as null',
    defect: (sound) => ({
      async findGrant(...ids) {
        const grant = await sound.findGrant(...ids)
        return grant && JSON.parse(JSON.stringify({ ...grant, endsAt: grant.endsAt ?? null }))
      },
    }),
    foundBy: 'leave out what a grant does not have',
  },
  {
    that: 'keeps only Latin letters',
    defect: (sound) => ({
      createGrant: (grant) =>
        sound.createGrant({ ...grant, resource: Buffer.from(grant.resource, 'latin1').toString('latin1') }),
    }),
    foundBy: 'any Unicode',
  },
  {
    that: 'sorts the scopes',
    defect: (sound) => ({
      createGrant: (grant) => sound.createGrant({ ...grant, scopes: grant.scopes.toSorted() }),
    }),
    foundBy: 'keep the scopes in their order',
  },
  {
    that: 'turns no scopes into one empty scope',
    defect: (sound) => ({
      createGrant: (grant) => sound.createGrant({ ...grant, scopes: grant.scopes.join(' ').split(' ') }),
    }),
    foundBy: 'keep the scopes in their order',
  },
  {
    that: 'cuts a text at a NUL',
    defect: (sound) => ({
      createGrant: (grant) => sound.createGrant({ ...grant, resource: grant.resource.split('\0')[0] ?? '' }),
    }),
    foundBy: 'any Unicode',
  },
  {
    that: 'gives null for nothing',
    defect: (sound) => ({
      findGrant: async (...ids) => (await sound.findGrant(...ids)) ?? (null as unknown as undefined),
    }),
    foundBy: 'find nothing under an id that does not exist',
  },
  {
    that: 'adds an empty text where a grant has no consent to remember',
    defect: (sound) => ({
      async createGrant(grant) {
        const result = await sound.createGrant(grant)
        if (result.outcome === 'created') change(result.grant, { consentTo: grant.consentTo ?? '' })
        return result
      },
    }),
    foundBy: 'leave out what a grant does not have',
  },
  {
    that: 'keeps what a remembered consent is for in small letters',
    defect: (sound) => ({
      createGrant: (grant) => sound.createGrant({ ...grant, consentTo: grant.consentTo?.toLowerCase() }),
    }),
    foundBy: 'return the grant as it was stored',
  },
  {
    that: 'drops null from lists in claims',
    defect: (sound) => ({
      createGrant: (grant) => {
        const withoutNull = (_: string, value: unknown) =>
          Array.isArray(value) ? value.filter((member) => member !== null) : value
        return sound.createGrant({
          ...grant,
          claims: grant.claims && JSON.parse(JSON.stringify(grant.claims, withoutNull)),
        })
      },
    }),
    foundBy: 'return the grant as it was stored',
  },
  {
    that: 'keeps only Latin letters in claims',
    defect: (sound) => ({
      createGrant: (grant) => sound.createGrant({ ...grant, claims: inLatin(grant.claims) }),
    }),
    foundBy: 'any Unicode',
  },
  {
    that: 'keeps only Latin letters in what was asked for',
    defect: (sound) => ({
      createGrant: (grant) => sound.createGrant({ ...grant, request: inLatin(grant.request) }),
    }),
    foundBy: 'any Unicode',
  },
  {
    that: 'drops the claims beside what a remembered consent is for once the code is redeemed',
    defect: (sound) => ({
      async swapCredential(swap) {
        const result = await sound.swapCredential(swap)
        if (result.outcome === 'swapped' && result.grant.claims) change(result.grant, { claims: {} })
        return result
      },
    }),
    foundBy: 'keep what a remembered consent is for',
  },
  {
    that: 'deletes the whole tenant if it is not told whose grants',
    defect: (sound) => ({
      async *deleteGrants(owner) {
        const isTold = owner.subject !== undefined || owner.clientId !== undefined || owner.all !== undefined
        yield* sound.deleteGrants(isTold ? owner : { tenantId: (owner as GrantOwner).tenantId, all: 'everything' })
      },
    }),
    foundBy: 'deletes nothing if it is not told whose grants',
  },
  {
    that: 'never lets a grant expire',
    defect: (sound) => {
      const lifetimes = new Map<string, number>()
      const shown = (grant: Grant) => ({
        ...grant,
        expiresAt: grant.createdAt + (lifetimes.get(grant.grantId) ?? 0),
      })
      return {
        async createGrant(grant) {
          lifetimes.set(grant.grantId, Math.min(grant.lifetime, grant.endsAfter ?? century))
          const result = await sound.createGrant({ ...grant, lifetime: century, endsAfter: undefined })
          if (result.outcome !== 'created' || grant.endsAfter === undefined) return result
          change(result.grant, { endsAt: result.grant.createdAt + grant.endsAfter })
          return result
        },
        async findGrant(...ids) {
          const grant = await sound.findGrant(...ids)
          return grant && (grant.swap ? grant : shown(grant))
        },
      }
    },
    foundBy: 'find nothing once a grant has expired',
  },
  {
    that: 'forgets the tenant',
    defect: (sound) => {
      const tenantId = 'all'
      return {
        createGrant: (grant) => sound.createGrant({ ...grant, tenantId }),
        findGrant: (_, grantId) => sound.findGrant(tenantId, grantId),
        swapCredential: (swap) => sound.swapCredential({ ...swap, tenantId }),
        reverseSwap: (reversal) => sound.reverseSwap({ ...reversal, tenantId }),
        deleteGrant: (_, grantId) => sound.deleteGrant(tenantId, grantId),
        listGrants: (of) => sound.listGrants({ ...of, tenantId }),
        deleteGrants: (owner) => sound.deleteGrants({ ...owner, tenantId }),
      }
    },
    foundBy: 'do not see the grants of each other',
  },
  ...['', '-', ':', '/', '|', ' ', '\0'].map(
    (between): BrokenStore => ({
      that: `joins the ids of tenants and grants with ${JSON.stringify(between)}`,
      defect: (sound) => {
        const made = new Map<string, Grant>()
        const keyOf = (tenantId: string, grantId: string) => [tenantId, grantId].join(between)
        return {
          async createGrant(grant) {
            const result = await sound.createGrant(grant)
            if (result.outcome === 'created') made.set(keyOf(grant.tenantId, grant.grantId), result.grant)
            return result
          },
          findGrant: async (...ids) => (await sound.findGrant(...ids)) ?? made.get(keyOf(...ids)),
        }
      },
      foundBy: 'are told apart',
    }),
  ),
  {
    that: 'joins the ids of tenants and customers',
    defect: (sound) => {
      const made: Grant[] = []
      return {
        async createGrant(grant) {
          const result = await sound.createGrant(grant)
          if (result.outcome === 'created') made.push(result.grant)
          return result
        },
        async listGrants({ tenantId, subject }) {
          const own = made.filter((grant) => grant.tenantId + grant.subject === tenantId + subject)
          const found = await Promise.all(own.map((grant) => sound.findGrant(grant.tenantId, grant.grantId)))
          return { grants: found.filter((grant) => grant !== undefined) }
        },
      }
    },
    foundBy: 'joined with nothing',
  },
  {
    that: 'joins the ids of customers and clients',
    defect: (sound) => ({
      async *deleteGrants(owner) {
        const { tenantId, subject, clientId } = owner
        if (subject === undefined || clientId === undefined) return yield* sound.deleteGrants(owner)
        const { grants } = await sound.listGrants({ tenantId, limit: 1000 })
        for (const grant of grants) {
          if (grant.subject + grant.clientId === subject + clientId) {
            if (await sound.deleteGrant(tenantId, grant.grantId)) yield grant
          }
        }
      },
    }),
    foundBy: 'end no grant of another customer and client, which joined with nothing',
  },
  {
    that: 'says that it deleted a grant that did not exist',
    defect: (sound) => ({ deleteGrant: async (...ids) => (await sound.deleteGrant(...ids)) || true }),
    foundBy: 'say whether there was a grant to delete',
  },
  {
    that: 'deletes nothing',
    defect: (sound) => ({ deleteGrant: async (...ids) => (await sound.findGrant(...ids)) !== undefined }),
    foundBy: 'say whether there was a grant to delete',
  },
  {
    that: 'lists the grants of the whole tenant',
    defect: (sound) => ({ listGrants: (of) => sound.listGrants({ ...of, subject: undefined }) }),
    foundBy: 'gives the grants as they are now',
  },
  {
    that: 'lists the grants of a customer at all tenants',
    defect: (sound) => {
      const tenants = new Set<string>()
      return {
        createGrant(grant) {
          tenants.add(grant.tenantId)
          return sound.createGrant(grant)
        },
        async listGrants(of) {
          if (of.subject === undefined) return sound.listGrants(of)
          const pages = await Promise.all([...tenants].map((tenantId) => sound.listGrants({ ...of, tenantId })))
          return { grants: pages.flatMap(({ grants }) => grants) }
        },
      }
    },
    foundBy: 'gives the grants as they are now',
  },
  {
    that: 'lists grants as they were when created',
    defect: (sound) => {
      const made: Grant[] = []
      return {
        async createGrant(grant) {
          const result = await sound.createGrant(grant)
          if (result.outcome === 'created') made.push(result.grant)
          return result
        },
        async listGrants(of) {
          const { grants, ...next } = await sound.listGrants(of)
          const ids = grants.map(({ grantId }) => grantId)
          return { grants: made.filter(({ grantId }) => ids.includes(grantId)), ...next }
        },
      }
    },
    foundBy: 'gives the grants as they are now',
  },
  {
    that: 'lists deleted grants',
    defect: (sound) => {
      const made: Grant[] = []
      return {
        async createGrant(grant) {
          const result = await sound.createGrant(grant)
          if (result.outcome === 'created') made.push(result.grant)
          return result
        },
        async listGrants(of) {
          const page = await sound.listGrants(of)
          const isGone = ({ grantId }: Grant) => page.grants.every((grant) => grant.grantId !== grantId)
          const gone = made.filter((grant) => grant.subject === of.subject && isGone(grant))
          return { ...page, grants: [...page.grants, ...gone] }
        },
      }
    },
    foundBy: 'without those that have been deleted',
  },
  {
    that: 'ends the grants of customers, never those of a client',
    defect: (sound) => ({
      async *deleteGrants(owner) {
        if (owner.subject !== undefined) yield* sound.deleteGrants(owner)
      },
    }),
    foundBy: 'ends the grants of a client and returns them',
  },
  {
    that: 'ends the grants of clients, never those of a customer',
    defect: (sound) => ({
      async *deleteGrants(owner) {
        if (owner.clientId !== undefined) yield* sound.deleteGrants(owner)
      },
    }),
    foundBy: 'ends the grants of a customer and returns them',
  },
  {
    that: 'ends the grants of all customers of a client if those of one customer are meant',
    defect: (sound) => ({
      deleteGrants: (owner) => {
        const { tenantId, clientId } = owner
        return sound.deleteGrants(clientId === undefined ? owner : { tenantId, clientId })
      },
    }),
    foundBy: 'ends the grants of a customer and client and returns them',
  },
  {
    that: 'ends all grants of a customer if those of one client are meant',
    defect: (sound) => ({
      deleteGrants: (owner) => {
        const { tenantId, subject } = owner
        return sound.deleteGrants(subject === undefined ? owner : { tenantId, subject })
      },
    }),
    foundBy: 'ends the grants of a customer and client and returns them',
  },
  {
    that: 'ends no grants if all of a tenant are meant',
    defect: (sound) => ({
      async *deleteGrants(owner) {
        if (!owner.all) yield* sound.deleteGrants(owner)
      },
    }),
    foundBy: 'ends the grants of a tenant and returns them',
  },
  {
    that: 'deletes the whole tenant if all of its grants are meant',
    defect: (sound) => ({
      deleteGrants: (owner) => sound.deleteGrants(owner.all ? { ...owner, all: 'everything' } : owner),
    }),
    foundBy: 'keeps the used ids of a tenant',
  },
  {
    that: 'ends the grants of a client at every tenant',
    defect: deletingAt(() => true),
    foundBy: 'ends the grants of a client and returns them',
  },
  {
    that: 'ends the grants of a client at every tenant whose id begins alike',
    defect: deletingAt((tenantId, owner) => tenantId.startsWith(owner.tenantId)),
    foundBy: 'ends the grants of a client and returns them',
  },
  {
    that: 'ends the grants of all clients where those of one are meant',
    defect: (sound) => ({
      deleteGrants: (owner) =>
        sound.deleteGrants(owner.subject === undefined ? { tenantId: owner.tenantId, all: 'grants' } : owner),
    }),
    foundBy: 'ends the grants of a client that are left',
  },
  {
    that: 'keeps 255 characters of the id of a client',
    defect: (sound) => ({
      createGrant: (grant) => sound.createGrant({ ...grant, clientId: grant.clientId.slice(0, 255) }),
    }),
    foundBy: 'takes a client id of any length',
  },
  {
    that: 'ends a page of 100',
    defect: (sound) => ({
      async *deleteGrants(owner) {
        let ended = 0
        for await (const grant of sound.deleteGrants(owner)) {
          yield grant
          if (++ended === 100) return
        }
      },
    }),
    foundBy: 'ends 300 grants',
  },
  {
    that: 'knows the last 5 grants of a client',
    defect: notingGrants((noted) => noted.slice(-5)),
    foundBy: 'ends the grants of a client that are left',
  },
  {
    that: 'knows 100 grants of a client',
    defect: notingGrants((noted) => noted.slice(0, 100)),
    foundBy: 'ends 300 grants of a client',
  },
  {
    that: 'ends grants without giving them',
    defect: (sound) => ({
      async *deleteGrants(owner) {
        for await (const grant of sound.deleteGrants(owner)) if (grant.tenantId !== owner.tenantId) yield grant
      },
    }),
    foundBy: 'ends the grants of a client and returns them',
  },
  {
    that: 'gives the grants that it is to end, and keeps them',
    defect: (sound) => {
      const made: Grant[] = []
      return {
        async createGrant(grant) {
          const result = await sound.createGrant(grant)
          if (result.outcome === 'created') made.push(result.grant)
          return result
        },
        async *deleteGrants({ tenantId, subject, clientId }) {
          for (const grant of made.filter((each) => each.tenantId === tenantId)) {
            const isMeant =
              [undefined, grant.subject].includes(subject) && [undefined, grant.clientId].includes(clientId)
            if (isMeant && (await sound.findGrant(tenantId, grant.grantId))) yield grant
          }
        },
      }
    },
    foundBy: 'ends the grants of a client and returns them',
  },
  {
    that: 'ends deleted grants again',
    defect: (sound) => {
      const deleted: Grant[] = []
      return {
        async deleteGrant(...ids) {
          const grant = await sound.findGrant(...ids)
          if (grant) deleted.push(grant)
          return sound.deleteGrant(...ids)
        },
        async *deleteGrants(owner) {
          yield* sound.deleteGrants(owner)
          yield* deleted.filter(({ tenantId }) => tenantId === owner.tenantId)
        },
      }
    },
    foundBy: 'returns no grant of a client that had ended before',
  },
  {
    that: 'ends expired grants again',
    defect: (sound) => {
      const gone: Grant[] = []
      return {
        async createGrant(grant) {
          const result = await sound.createGrant(grant)
          if (result.outcome === 'created' && grant.lifetime < 1000) gone.push(result.grant)
          return result
        },
        async *deleteGrants(owner) {
          yield* sound.deleteGrants(owner)
          yield* gone.filter(({ tenantId }) => tenantId === owner.tenantId)
        },
      }
    },
    foundBy: 'returns no grant of a client that had ended before',
  },
]

function inLatin<T>(value: T): T {
  return value && JSON.parse(Buffer.from(JSON.stringify(value), 'latin1').toString('latin1'))
}

/** Ends the grants that `isMeant` accepts, at all tenants that the store has seen. */
function deletingAt(isMeant: (tenantId: string, owner: GrantOwner) => boolean): BrokenStore['defect'] {
  return (sound) => {
    const tenants = new Set<string>()
    return {
      createGrant(grant) {
        tenants.add(grant.tenantId)
        return sound.createGrant(grant)
      },
      async *deleteGrants(owner) {
        const meant = [...tenants].filter((tenantId) => isMeant(tenantId, owner))
        for (const tenantId of meant) yield* sound.deleteGrants({ ...owner, tenantId })
      },
    }
  }
}

/** Ends those grants of a client that `known` leaves of all that were created, in their order. */
function notingGrants(known: (noted: string[]) => string[]): BrokenStore['defect'] {
  return (sound) => {
    const noted = new Map<string, string[]>()
    return {
      createGrant(grant) {
        noted.set(grant.clientId, [...(noted.get(grant.clientId) ?? []), grant.grantId])
        return sound.createGrant(grant)
      },
      async *deleteGrants(owner) {
        const ids = owner.subject === undefined ? noted.get(owner.clientId ?? '') : undefined
        if (!ids) return yield* sound.deleteGrants(owner)
        for (const grantId of known(ids)) {
          const grant = await sound.findGrant(owner.tenantId, grantId)
          if (grant && (await sound.deleteGrant(owner.tenantId, grantId))) yield grant
        }
      },
    }
  }
}
