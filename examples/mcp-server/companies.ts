import type { Tenant } from 'customer-sign-in'

/** What a host has in its database: the companies that have set up customer sign-in. Their customers' assistants register themselves. */
export const companies = new Map<string, Tenant & { name: string }>([
  ['acme', { key: 'acme', name: 'Acme Air' }],
  ['globex', { key: 'globex', name: 'Globex Hotels' }],
])
