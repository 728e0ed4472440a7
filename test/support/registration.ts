import type { NewClient, RegisteredClient, TokenStore } from 'customer-sign-in'
import request, { type Test } from 'supertest'
import { redirectUri } from './sign-in'

/** `POST I/register` with metadata; a text is sent as it is. */
export function register(host: { url: string }, metadata: unknown = {}, tenantKey = 'acme'): Test {
  const body =
    typeof metadata === 'string' ? metadata : JSON.stringify({ redirect_uris: [redirectUri], ...Object(metadata) })
  return request(host.url).post(`/v1/${tenantKey}/oauth/register`).type('json').send(body)
}

/** Registers a valid client. @returns Its client id. */
export async function registered(host: { url: string }, metadata: object = {}, tenantKey = 'acme'): Promise<string> {
  const { body } = await register(host, metadata, tenantKey).expect(201)
  return body.client_id
}

/** Puts a registered client into a store, by default of the tenant `acme` and for an hour. */
export function saveClient(store: TokenStore, members: Partial<NewClient> = {}): Promise<RegisteredClient> {
  const client = { tenantId: 'acme', clientId: 'registered', redirectUris: [redirectUri], lifetime: 3_600_000 }
  return store.saveClient({ ...client, ...members }, { perTenant: 10, total: 100 })
}
