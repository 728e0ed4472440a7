import type { CustomerSignInEvent } from '../../../src/contract/customer-sign-in-event'
import type { CredentialKind } from '../../../src/protocol/grant-types'
import type { Assertion } from '../../../src/trusted-issuers/assertions'
import type { CalledStore } from './explored-store'
import type { House } from './house'
import { epoch, hostTimeout, type Scenario, seconds, theKey } from './scenario'

const resource = 'https://api.example/mcp'
/** As much of a tenant as redemptions look at. */
export const tenant = {
  id: 'acme',
  key: 'acme',
  address: { resources: [resource] },
  policy: {
    scopes: ['profile'],
    lifetimes: { accessToken: 3600 * seconds, refreshToken: 30 * 86_400 * seconds, authorizationCode: 60 * seconds },
  },
}
const redirectUri = 'https://client.example/callback'
const codeChallenge = 'c'.repeat(43)
export const subject = 'customer'
export const clientId = 'client'

const terms = { clientId, subject, scopes: ['profile'], resource }

function assertionOf(name: string): Assertion {
  const id = Buffer.alloc(32, name).toString('base64url')
  return { id, issuer: { issuer: 'https://idp.example' }, issuedAt: epoch, goneAt: epoch + 3600 * seconds } as never
}

export type Answer = { token: string; by: string }

/** The rooms of the house that the requests of one process go through, over its own connection to the store. */
export function roomsOf(house: House) {
  const { GuardedStore } = house.load<typeof import('../../../src/host/guarded-store')>('host/guarded-store')
  const { Grants } = house.load<typeof import('../../../src/grants/grants')>('grants/grants')
  const { Redemptions, presentedCredential } =
    house.load<typeof import('../../../src/grants/redemptions')>('grants/redemptions')
  const { AssertedGrants } = house.load<typeof import('../../../src/trusted-issuers/asserted-grants')>(
    'trusted-issuers/asserted-grants',
  )
  const { Revocations } = house.load<typeof import('../../../src/grants/revocations')>('grants/revocations')
  const { CredentialChain, parseCredential, credentialHash, keyNeeded } =
    house.load<typeof import('../../../src/grants/credential')>('grants/credential')
  const chain = new CredentialChain([Buffer.alloc(32, 'secret')])

  function bindingOf(kind: CredentialKind, client: string) {
    return kind === 'code' ? { clientId: client, redirectUri, codeChallenge } : { clientId: client }
  }

  const kindOf = (token: string): CredentialKind => (token.startsWith('csic_') ? 'code' : 'refresh_token')

  /** The hash that the store has of a token while it is live. */
  function hashOf(token: string): string {
    const kind = kindOf(token)
    const credential = parseCredential(kind, token)
    if (!credential) throw new Error(`Not a credential: ${token}`)
    const key = isBound(token) ? theKey : undefined
    return credentialHash(kind, credential.secret, { ...bindingOf(kind, clientId), key })
  }

  /** Whether only the holder of one key redeems a token. */
  function isBound(token: string): boolean {
    const credential = parseCredential(kindOf(token), token)
    return credential !== undefined && keyNeeded(credential) === 'its own'
  }

  function start(
    store: CalledStore,
    { window, tolerance, readsFirst }: Pick<Scenario, 'window' | 'tolerance' | 'readsFirst'>,
    sign: (() => Promise<void>) | undefined,
    emit: (event: { type: CustomerSignInEvent['type'] }) => void,
    now: () => number,
  ) {
    const guarded = new GuardedStore(store as never, hostTimeout)
    const grants = new Grants(guarded, chain, { perClient: 10, replace: true }, emit)
    const rules = { refreshRetryWindow: window * seconds, replayTolerance: tolerance * seconds }
    const redemptions = new Redemptions(guarded, chain, rules, emit, now)
    const revocations = new Revocations(guarded, chain, grants, {} as never)
    const asserted = new AssertedGrants(grants, guarded, now)
    const draftOf = (id: string) => asserted.draft(terms, assertionOf(id), tenant as never)

    return {
      /** Learns the clock of the store. */
      knock: () => guarded.clockOffset(now),

      createCode: (seed: Buffer): Promise<string> =>
        grants.create(
          {
            clientId,
            isConfidential: false,
            redirectUri,
            codeChallenge,
            scopes: ['profile'],
            resource,
            subject,
            claims: undefined,
            seed,
          },
          tenant as never,
        ),

      /** What the token endpoint does with a credential. */
      async redeem(token: string, client = clientId, key?: string): Promise<Answer> {
        const kind = kindOf(token)
        const presentedWith = {
          binding: bindingOf(kind, client),
          resource: undefined,
          tenant: tenant as never,
          lifetime: tenant.policy.lifetimes.refreshToken,
          hasHungUp: async () => false,
        }
        const presented = presentedCredential(kind, token, presentedWith, key)
        const redemption = await redemptions.redeem(
          presented,
          readsFirst ? async ({ scopes }) => ({ scopes }) : undefined,
        )
        if (sign) {
          try {
            await sign()
          } catch (failed) {
            await redemptions.reverse(redemption)
            throw unavailable(failed)
          }
        }
        if (kind === 'code') await grants.endReplaced(redemption.grant, tenant as never)
        return { token: redemption.refreshToken, by: redemption.by }
      },

      /** What the token endpoint does with an assertion that was issued before the beginning. */
      async mint(id: string, since: number): Promise<Answer> {
        await asserted.store(draftOf(id), assertionOf(id), tenant, since)
        return { token: id, by: 'assertion' }
      },

      endGrantOf: (id: string): Promise<boolean> => guarded.deleteGrant(tenant.id, draftOf(id).grantId),

      revoke: (token: string): Promise<void> =>
        revocations.revoke(token, { clientId }, tenant as never, async () => {}),

      endAll: (): Promise<number> =>
        grants.endEach(guarded.deleteGrants({ tenantId: tenant.id, subject }), 'endAll', { tenantKey: tenant.key }, {}),
    }
  }

  return { start, hashOf, isBound }
}

/** The signer is the host's: its failure is answered with 503. */
function unavailable(cause: unknown): Error {
  return Object.assign(new Error('The signer failed', { cause }), { code: 'temporarily_unavailable' })
}

export type Rooms = ReturnType<typeof roomsOf>
export type Server = ReturnType<Rooms['start']>
