import { MemoryTenantStore, type Tenant, type TenantStore } from 'customer-sign-in'
import { clientId, redirectUri } from './sign-in'

export const acmeHost = 'assistant.acme.example'
export const acmeAddress = `https://${acmeHost}`
export const initechHost = 'assistant.initech.example'
export const initechAddress = `https://${initechHost}`

const clients = [{ clientId, redirectUris: [redirectUri] }]

/** Two companies with a domain of their own, and `globex` without one. */
export const onDomains: readonly Tenant[] = [
  { key: 'acme', id: 'acme', name: 'Acme', clients, baseUrl: acmeAddress },
  { key: 'initech', id: 'initech', name: 'Initech', clients, baseUrl: initechAddress },
  { key: 'globex', id: 'globex', name: 'Globex', clients },
]

/** A store of companies whose records may change. */
export function storeOf(companies: () => readonly Tenant[]): TenantStore {
  return {
    findTenant: (key) => new MemoryTenantStore(companies()).findTenant(key),
    findTenantByHost: (host) => new MemoryTenantStore(companies()).findTenantByHost?.(host),
  }
}
