import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CredentialSwap, Grant, RegisteredClient, SwapResult, TokenStore } from '../stores/token-store'

export const minute = 60_000
export const hour = 60 * minute
export const unicode = 'a b\u0000"\\{}:\u00e9\u4e2d\ud83d\ude00\u202e\n'

export function newGrant(members: Partial<Grant>): Grant {
  const now = Date.now()
  return {
    tenantId: randomUUID(),
    grantId: randomUUID(),
    clientId: 'https://client.example/metadata',
    subject: randomUUID(),
    scope: 'profile calendar',
    resource: 'https://api.example/mcp',
    createdAt: now,
    expiresAt: now + hour,
    credential: { kind: 'code', hash: randomUUID() },
    request: { redirectUri: 'https://client.example/callback?a=b', codeChallenge: randomUUID() },
    ...members,
  }
}

export function newClient(members: Partial<RegisteredClient>): RegisteredClient {
  const now = Date.now()
  return {
    tenantId: randomUUID(),
    clientId: randomUUID(),
    redirectUris: ['https://client.example/callback', 'http://localhost/callback'],
    createdAt: now,
    expiresAt: now + hour,
    ...members,
  }
}

export function swapOf({ tenantId, grantId, credential }: Grant): CredentialSwap {
  const now = Date.now()
  const [to, attempt] = [randomUUID(), randomUUID()]
  return { tenantId, grantId, from: credential.hash, to, attempt, now, expiresAt: now + 2 * hour }
}

export async function found(store: TokenStore, { tenantId, grantId }: Grant): Promise<Grant | undefined> {
  return definedMembers(await store.findGrant(tenantId, grantId))
}

export function grantOf(result: SwapResult): Grant {
  if (result.outcome === 'missing') assert.fail('The grant is missing')
  return result.grant
}

/** A store may leave an absent member out or hold it as undefined. */
export function definedMembers<T>(value: T): T {
  return value === undefined ? value : JSON.parse(JSON.stringify(value))
}

export function byId(grants: readonly Grant[]): Grant[] {
  return definedMembers([...grants]).sort((a, b) => a.grantId.localeCompare(b.grantId))
}

/** Expiry is the one thing that only time shows. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, 'It has not happened within 10 seconds')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
