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
