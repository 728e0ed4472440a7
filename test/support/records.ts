import type { Grant, TokenStore } from 'customer-sign-in'

/** The grants of a customer as the store has them now, to be compared or restored later. */
export async function recordsOf(store: TokenStore, tenantId = 'acme', subject = 'customer-1'): Promise<Grant[]> {
  return structuredClone(await store.listGrants(tenantId, subject))
}

/** The only grant of a customer, as the store has it now. */
export async function recordOf(store: TokenStore, tenantId = 'acme', subject = 'customer-1'): Promise<Grant> {
  const [record, ...others] = await recordsOf(store, tenantId, subject)
  if (!record || others.length > 0) throw new Error(`${subject} has not one grant but ${others.length + 1}`)
  return record
}

/** Puts an older copy of a grant in its place, as a failover to a replica does that is behind. For a store on this process's clock. */
export async function restore(store: TokenStore, record: Grant): Promise<void> {
  const { tenantId, grantId, createdAt, expiresAt, endsAt, credential, request, swap, redeemed = [], ...rest } = record
  await store.deleteGrant(tenantId, grantId)
  // What a mark leaves out of a hash, nobody looks at.
  const hashes = [...redeemed].reverse().map(({ mark }) => mark.padEnd(43, '.'))
  const [first = credential.hash, ...others] = [...hashes, credential.hash]
  const deadline = Number.POSITIVE_INFINITY
  await at(createdAt, () =>
    store.createGrant({
      ...rest,
      tenantId,
      grantId,
      credential: { kind: 'code', hash: first },
      request: request ?? { redirectUri: '', codeChallenge: '' },
      lifetime: expiresAt - createdAt,
      endsAfter: endsAt && endsAt - createdAt,
      deadline,
    }),
  )
  for (const [index, to] of others.entries()) {
    const from = [first, ...others][index] ?? ''
    const time = [...redeemed].reverse()[index]?.at ?? createdAt
    const attempt = swap?.attempt ?? ''
    const lifetime = expiresAt - time
    const remember = deadline
    const rest = 0
    await at(time, () =>
      store.swapCredential({
        tenantId,
        grantId,
        from,
        to,
        attempt,
        redeems: [from],
        remember,
        rest,
        lifetime,
        deadline,
      }),
    )
  }
}

/** Calls a store while its process believes that it is another time. */
function at<T>(time: number, call: () => T): T {
  const { now } = Date
  Date.now = () => time
  try {
    return call()
  } finally {
    Date.now = now
  }
}
