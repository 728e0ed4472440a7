import assert from 'node:assert/strict'
import { auth, CrossAppAccessProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { newClientSecret } from 'customer-sign-in'
import { callTool } from './client'
import { type Company, companies } from './companies'
import { CompanyIssuer } from './company-issuer'
import { print, shownFetch, step } from './wire'

const clientId = 'travel-assistant'
const person = 'lee@globex.example'

/**
 * Plays an assistant at a company that signs its people in by its own identity provider, from the administrator who switches it on to the one
 * who switches it off. No browser is opened. Rejects at the first answer that is not as it should be.
 */
export async function walkAtEnterprise(host: string): Promise<void> {
  const idp = await CompanyIssuer.listen()
  const server = new URL(`${host}/v1/globex/mcp`)
  const before = companies.get('globex') as Company
  const { secret, hash } = newClientSecret()
  const provider = new CrossAppAccessProvider({
    assertion: async ({ authorizationServerUrl: audience, resourceUrl: resource, scope }) =>
      idp.assertion({ person, clientId, audience, resource, scope }),
    clientId,
    clientSecret: secret,
    expectedIssuer: `${host}/v1/globex/oauth`,
  })
  const call = () =>
    callTool(new StreamableHTTPClientTransport(server, { authProvider: provider, fetch: shownFetch }), 'who_am_i')
  try {
    step('Globex Hotels has an identity provider. Its administrator enters it, and the assistant that its people use')
    const client = { clientId, redirectUris: ['https://assistant.example/callback'], secretHashes: [hash] }
    const trusted = { issuer: idp.issuer, subject: 'email' }
    companies.set('globex', { ...before, clients: [client], trustedIssuers: [trusted], enterpriseOnly: true })

    step('The assistant asks that provider for an assertion about Lee, and gets an access token for it')
    assert.equal(await auth(provider, { serverUrl: server, fetchFn: shownFetch }), 'AUTHORIZED')
    assert.equal(await call(), `${person}, customer of Globex Hotels`)
    print(`who_am_i: ${person}, customer of Globex Hotels`)

    step('The administrator switches it off again. The assistant gets no other token')
    companies.set('globex', { ...before, clients: [client], trustedIssuers: [] })
    await assert.rejects(auth(provider, { serverUrl: server, fetchFn: shownFetch }), { code: 'invalid_grant' })
  } finally {
    companies.set('globex', before)
    idp.close()
  }
}
