import type { CustomerSignInOptions } from 'customer-sign-in'

// What is yours: your companies, your login and your log.
export const tenantStore: CustomerSignInOptions['tenantStore'] = {
  findTenant: (key) => (key === 'acme' ? { key, id: 'company-1', name: 'Acme Air' } : null),
}

export const authenticate: CustomerSignInOptions['authenticate'] = (_req, res, { url }) =>
  void res.writeHead(303, { Location: `/login?next=${encodeURIComponent(url)}` }).end()

export const log = {
  info: (event: object) => void process.stdout.write(`${JSON.stringify(event)}\n`),
  error: (error: unknown, where: string) => void process.stderr.write(`${where}: ${error}\n`),
}
