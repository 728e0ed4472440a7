import type { Grant, TokenStore } from 'customer-sign-in/store'

/** The grants of a customer as they are in the store now, to compare or restore them later. */
export async function recordsOf(store: TokenStore, tenantId = 'acme', subject = 'customer-1'): Promise<Grant[]> {
  return structuredClone((await store.listGrants({ tenantId, subject, limit: 10_000 })).grants)
}

/** The only grant of a customer, as it is in the store now. */
export async function recordOf(store: TokenStore, tenantId = 'acme', subject = 'customer-1'): Promise<Grant> {
  const [record, ...others] = await recordsOf(store, tenantId, subject)
  if (!record || others.length > 0)
    throw new Error(`${subject} must have one grant, and has ${others.length + (record ? 1 : 0)}`)
  return record
}

/** Replaces a grant by an older copy, as a failover does if the replica is behind. For a store that uses the clock of this process. */
export async function restore(store: TokenStore, record: Grant): Promise<void> {
  const { tenantId, grantId, createdAt, expiresAt, endsAt, credential, request, swap, redeemed = [], ...rest } = record
  await at(createdAt, () => store.deleteGrant(tenantId, grantId))
  const steps = stepsTo(record)
  const deadline = Number.POSITIVE_INFINITY
  await at(createdAt, () =>
    store.createGrant({
      ...rest,
      tenantId,
      grantId,
      credential: { kind: 'code', hash: steps[0]?.from ?? credential?.hash ?? '' },
      request: request ?? { redirectUri: '', codeChallenge: '' },
      lifetime: expiresAt - createdAt,
      endsAfter: endsAt && endsAt - createdAt,
      deadline,
    }),
  )
  for (const { time, ...step } of steps) {
    const attempt = swap?.attempt ?? ''
    const times = { remember: deadline, rest: 0, lifetime: expiresAt - time, deadline }
    await at(time, () => store.swapCredential({ tenantId, grantId, attempt, ...step, ...times }))
  }
}

/** The swaps that turn a new grant into this record, the oldest first. */
function stepsTo(grant: Grant): { from: string; to: string; time: number; redeems: string[] }[] {
  const { createdAt, swap, redeemed = [] } = grant
  const hash = grant.credential?.hash ?? ''
  const [newest] = redeemed
  if (swap && newest && swap.at > newest.at) {
    // The first refresh token was given for its code again.
    const again = { from: hash, to: hash, time: swap.at, redeems: [] }
    return [...stepsTo({ ...grant, swap: { ...swap, at: newest.at, redeemed: 'code' } }), again]
  }
  // A mark is the beginning of a hash; nobody reads the rest.
  const known = [...redeemed].reverse().map(({ mark, at: time }) => ({ hash: mark.padEnd(43, '.'), time }))
  // If the store had lost the writes since the code, one swap redeemed them all.
  const [code] = known
  if (code && swap?.redeemed === 'code') {
    return [{ from: code.hash, to: hash, time: code.time, redeems: known.map((redeemed) => redeemed.hash).reverse() }]
  }
  // If the grant no longer remembers the code, there must have been other credentials before.
  const isForgotten = swap?.redeemed === 'refresh_token' && known.length === 1
  const before = isForgotten ? [{ hash: 'forgotten'.padEnd(43, '.'), time: createdAt, redeems: [] }] : []
  const all = [...before, ...known]
  return all.map(({ hash: from, time, ...own }, index) => {
    const to = all[index + 1]?.hash ?? hash
    return { from, to, time, redeems: [from], ...own }
  })
}

/** Calls a store while the clock of its process shows another time. */
function at<T>(time: number, call: () => T): T {
  const { now } = Date
  Date.now = () => time
  try {
    return call()
  } finally {
    Date.now = now
  }
}
