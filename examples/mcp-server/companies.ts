import type { Tenant } from 'customer-sign-in'

/** A company's record, with two members of this host's own. */
export interface Company extends Tenant {
  id: string
  name: string
  /** Who may open its administration: the name at the login, and the id in events. A real host has other accounts for staff. */
  staff: ReadonlyMap<string, string>
}

/** Stands for the host's database: the companies that have set up customer sign-in. Assistants register themselves. */
export const companies = new Map<string, Company>([
  ['acme', { key: 'acme', id: 'company-1', name: 'Acme Air', staff: new Map([['Sam', 'staff:42']]) }],
  ['globex', { key: 'globex', id: 'company-2', name: 'Globex Hotels', staff: new Map([['Kim', 'staff:43']]) }],
])
