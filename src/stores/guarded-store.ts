import { OAuthError, temporarilyUnavailable } from '../protocol/oauth-error'
import type { TokenStore } from './token-store'

/**
 * The host's store, none of whose calls takes longer than `timeout` milliseconds. Whatever it rejects with becomes
 * `temporarily_unavailable`, with the store's own error as the cause.
 */
export function guardedStore(store: TokenStore, timeout: number): TokenStore {
  const guard = <T>(method: string, work: () => Promise<T>) => withinTime(`tokenStore.${method}`, timeout, work)
  return {
    createGrant: (grant) => guard('createGrant', () => store.createGrant(grant)),
    findGrant: (...ids) => guard('findGrant', () => store.findGrant(...ids)),
    // A swap is sent twice where it must be, both times within the limit (docs/credential-chain.md).
    swapCredential: (swap) => withinTime('tokenStore.swapCredential', timeout / 2, () => store.swapCredential(swap)),
    deleteGrant: (...ids) => guard('deleteGrant', () => store.deleteGrant(...ids)),
    listGrants: (...ids) => guard('listGrants', () => store.listGrants(...ids)),
    // It goes through the whole store, and who asks for it is the host.
    scanGrants: (tenantId) => store.scanGrants(tenantId),
    saveClient: (...args) => guard('saveClient', () => store.saveClient(...args)),
    findClient: (...ids) => guard('findClient', () => store.findClient(...ids)),
    keepClient: (...args) => guard('keepClient', () => store.keepClient(...args)),
    deleteClient: (...ids) => guard('deleteClient', () => store.deleteClient(...ids)),
  }
}

/**
 * Does work of the host's that must end within `timeout` milliseconds.
 *
 * @throws {OAuthError} `temporarily_unavailable` when it throws, rejects or takes longer; its own `OAuthError` as it is.
 */
export async function withinTime<T>(what: string, timeout: number, work: () => T | Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${timeout} ms`)), timeout)
  })
  try {
    return await Promise.race([work(), late])
  } catch (error) {
    throw error instanceof OAuthError ? error : temporarilyUnavailable(error)
  } finally {
    clearTimeout(timer)
  }
}
