import type { Owner } from './owner'
import { type Asking, whoOf } from './requests'
import { between, type Scene } from './scene'

/** The actors who do not own a grant; each goes on until the finale. */
export function others(scene: Scene, owners: readonly Owner[]): Promise<void>[] {
  return [
    every(scene, [300, 900], () => theft(scene, owners)),
    every(scene, [800, 2500], () => revocation(scene, owners)),
    every(scene, [300, 900], () => garbage(scene, owners)),
  ]
}

async function every(scene: Scene, pause: readonly [number, number], act: () => Promise<unknown>): Promise<void> {
  const acts: Promise<unknown>[] = []
  while (!scene.isFinale()) {
    await scene.sleep(between(scene.random, pause))
    if (!scene.isFinale()) acts.push(act())
  }
  await Promise.all(acts)
}

/** A thief presents one of the last refresh tokens at once, or any redeemed credential after the window. */
async function theft(scene: Scene, owners: readonly Owner[]): Promise<void> {
  const { random, requests, terms } = scene
  const victim = anyOwner(scene, owners)
  if (!victim) return
  const late = victim.spent.filter(({ kind, at }) => {
    const tolerated = kind === 'code' ? terms.tolerance : Math.max(terms.window, terms.tolerance)
    return scene.now() - at > tolerated * 1000 + 2000
  })
  const early = victim.spent.slice(-10)
  // Mostly at once: a late replay ends the grant, and soon no grant would be left.
  const loot = random.next() < 0.25 ? late : early.filter(({ kind }) => kind === 'refresh_token')
  const [stolen] = loot.slice(random.below(Math.max(1, loot.length)))
  if (!stolen) return
  const { kind, text, codeVerifier } = stolen
  if (kind === 'code') await requests.redeemCode(victim.party, text, codeVerifier, as(scene, 'thief'))
  else await requests.refresh(victim.party, text, as(scene, 'thief'))
}

/** Ends a grant, retries until that is acknowledged, and checks whether anything still works. */
async function revocation(scene: Scene, owners: readonly Owner[]): Promise<void> {
  const { random, requests } = scene
  const victim = anyOwner(scene, owners)
  if (!victim?.newest || !victim.accessToken) return
  const { party, newest, accessToken, spent } = victim
  const { grantId } = whoOf(accessToken)
  const byHost = (way: string, path: '/host/revoke' | '/host/revoke-all', which: object) => () =>
    requests.revokeByHost(party, path, which, { ...as(scene, 'revoker'), way })
  const byToken = (way: string, token: string) => () => requests.revoke(party, token, { ...as(scene, 'revoker'), way })
  const older = spent.findLast(({ kind }) => kind === 'refresh_token')?.text ?? newest

  const revoke = random.pick([
    byToken('refresh token', newest),
    byToken('older refresh token', older),
    byToken('access token', accessToken),
    byHost('grants.revoke', '/host/revoke', { subject: party.subject, grantId }),
    byHost('grants.revokeAll of the customer', '/host/revoke-all', { subject: party.subject }),
    ...(victim.isRegistered
      ? [byHost('grants.revokeAll of the client', '/host/revoke-all', { clientId: party.clientId })]
      : []),
  ])
  let acknowledged = (await revoke()).answer === 200
  while (!acknowledged && !scene.isFinale()) {
    await scene.sleep(between(random, [200, 1000]))
    acknowledged = (await revoke()).answer === 200
  }
  if (!acknowledged) return
  for (const pause of [0, 1000, 4000]) {
    await scene.sleep(pause)
    await requests.api(party, victim.accessToken, as(scene, 'probe'))
    await requests.refresh(party, victim.newest, as(scene, 'probe'))
  }
}

/** Malformed and forged requests. */
async function garbage(scene: Scene, owners: readonly Owner[]): Promise<void> {
  const { random, requests } = scene
  const victim = anyOwner(scene, owners)
  if (!victim?.newest) return
  const { party, newest } = victim
  const forged = { ...as(scene, 'garbage'), forged: true as const }
  const path = `/v1/${party.tenantKey}/oauth/token`
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const raw =
    (body: string, headers: Record<string, string> = form) =>
    () =>
      requests.garbage(party, { method: 'POST', path, headers, body }, forged)
  await random.pick([
    () => requests.refresh({ ...party, clientId: 'other-app' }, newest, forged),
    () => requests.refresh({ ...party, tenantKey: party.tenantKey === 'acme' ? 'globex' : 'acme' }, newest, forged),
    // The handle is right, and the secret is wrong.
    () => requests.refresh(party, `${newest.slice(0, 40)}${'A'.repeat(16)}${newest.slice(56)}`, forged),
    () => requests.api(party, `${victim.accessToken}A`, forged),
    raw('grant_type=refresh_token&refresh_token=junk&client_id=assistant-app'),
    raw(`grant_type=refresh_token&refresh_token=${'x'.repeat(300_000)}`),
    // The rest of the body is never sent.
    raw('grant_type=refresh_tok', { ...form, 'Content-Length': '200' }),
    raw('{"grant_type":', { 'Content-Type': 'application/json' }),
    raw(`grant_type=refresh_token&refresh_token=${newest}&refresh_token=${newest}&client_id=${party.clientId}`),
  ])()
}

function anyOwner({ random }: Scene, owners: readonly Owner[]): Owner | undefined {
  const alive = owners.filter(({ over, newest }) => !over && newest !== undefined)
  return alive[random.below(Math.max(1, alive.length))]
}

function as({ random, hosts }: Scene, by: Asking['by']): Asking {
  return { by, host: random.below(hosts) }
}
