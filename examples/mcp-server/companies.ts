import type { Tenant } from 'customer-sign-in'

/** Stands for the host's database: the companies that have set up customer sign-in. Assistants register themselves. */
export const companies = new Map<string, Tenant & { name: string }>([
  ['acme', { key: 'acme', name: 'Acme Air' }],
  ['globex', { key: 'globex', name: 'Globex Hotels' }],
])
