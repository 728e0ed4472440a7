// What the snippets of docs/hosts.md take from the reader's app, for every host that runs them.
import { createPrivateKey } from 'node:crypto'
import { MemoryTenantStore, MemoryTokenStore } from 'customer-sign-in'

const clients = [{ clientId: 'assistant-app', redirectUris: ['https://assistant.example/callback'] }]

export const tenantStore = new MemoryTenantStore([
  { key: 'acme', id: 'acme', name: 'Acme', clients },
  { key: 'globex', id: 'globex', name: 'Globex', clients },
])
// Next.js loads this file again for each route.
globalThis.tokenStore ??= new MemoryTokenStore()
export const tokenStore = globalThis.tokenStore
export const signingKeys = [createPrivateKey(process.env.SIGNING_KEY)]

export function authenticate({ headers }, res, { url }) {
  const [, subject] = /customer=([\w-]+)/.exec(headers.cookie ?? '') ?? []
  if (subject) return { subject }
  res.writeHead(302, { Location: `/login?next=${encodeURIComponent(url)}` })
  res.end()
}

globalThis.bookingsOf = (subject) => {
  if (subject === 'unlucky') throw new Error('there is no database')
  return [`a flight of ${subject}`]
}
