import type { Tenant } from 'customer-sign-in'
import { readToken } from '../../support/forged-token'
import { acmeAddress } from '../../support/own-domain'
import { metadataIn, OwnDomainApi } from '../../support/own-domain-api'
import { clientId, expectError, expectTokens, redirectUri } from '../../support/sign-in'

const acme: Tenant = { key: 'acme', id: 'acme', clients: [{ clientId, redirectUris: [redirectUri] }] }
const renamed = 'https://ai.acme.example'

/** The addresses of acme where its key is in the paths, or on a domain of its own. */
const inPaths = (shared: string) => ({
  issuer: `${shared}/v1/acme/oauth`,
  metadata: `${shared}/.well-known/oauth-authorization-server/v1/acme/oauth`,
  token: `${shared}/v1/acme/oauth/token`,
  mcp: `${shared}/v1/acme/mcp`,
})
const onDomain = (domain: string) => ({
  issuer: domain,
  metadata: `${domain}/.well-known/oauth-authorization-server`,
  token: `${domain}/oauth/token`,
  mcp: `${domain}/mcp`,
})

type Move = { from: ReturnType<typeof onDomain>; to: ReturnType<typeof onDomain>; move: (row?: object) => void }

/** A host with acme at one address, and what moves it to another. Nothing but the record changes. */
async function moving(from: string | undefined, to: string | undefined): Promise<Move & { host: OwnDomainApi }> {
  const host = await OwnDomainApi.start(() => [{ ...acme, baseUrl: from }])
  const addresses = (domain: string | undefined) => (domain ? onDomain(domain) : inPaths(host.shared))
  const move = (row: object = {}) => {
    host.companies = [{ ...acme, baseUrl: to, formerBaseUrls: [from ?? host.shared], ...row }]
  }
  return { host, from: addresses(from), to: addresses(to), move }
}

describe.each([
  ['from the shared address to a domain of its own', undefined, acmeAddress],
  ['from one domain of its own to another', acmeAddress, renamed],
  ['back to the shared address', acmeAddress, undefined],
])('a company that moves %s', (_, before, after) => {
  it('keeps its customers signed in at the address that their clients know', async () => {
    const { host, from, move } = await moving(before, after)
    const tokens = await host.tokens(from.token)
    move()
    await host.get(from.mcp, tokens.access_token).expect(200)
    const next = expectTokens(await host.refresh(from.token, tokens, { resource: from.mcp }))
    expect(readToken(next.access_token).payload).toMatchObject({ iss: from.issuer, aud: from.mcp })
    await host.get(from.mcp, next.access_token).expect(200)
    expectTokens(await host.refresh(from.token, next))
  })

  it('leads a client that comes to either address to what belongs to it', async () => {
    const { host, from, to, move } = await moving(before, after)
    move()
    for (const { issuer, metadata, token, mcp } of [from, to]) {
      const resourceMetadata = metadataIn(await host.get(mcp).expect(401)) ?? ''
      const { body } = await host.get(resourceMetadata).expect(200)
      expect(body).toMatchObject({ resource: mcp, authorization_servers: [issuer] })
      expect((await host.get(metadata).expect(200)).body).toMatchObject({ issuer, token_endpoint: token })
    }
  })

  it.each([
    ['no resource', () => undefined],
    ['the resource at the new address', ({ to }: Move) => to.mcp],
    ['the resource at the old address', ({ from }: Move) => from.mcp],
  ])('lets a client refresh at the new address, naming %s', async (_name, named) => {
    const { host, ...both } = await moving(before, after)
    const { from, to, move } = both
    const tokens = await host.tokens(from.token)
    move()
    const resource = named(both)
    const next = expectTokens(await host.refresh(to.token, tokens, { ...(resource && { resource }) }))
    expect(readToken(next.access_token).payload).toMatchObject({ iss: to.issuer, aud: to.mcp })
    await host.get(to.mcp, next.access_token).expect(200)
    const again = expectTokens(await host.refresh(to.token, next, { resource: to.mcp }))
    // The same client, on a device that has not been updated.
    const old = expectTokens(await host.refresh(from.token, again, { resource: to.mcp }))
    expect(readToken(old.access_token).payload).toMatchObject({ iss: from.issuer, aud: from.mcp })
  })

  it('answers a repeated refresh in the retry window, whatever the address', async () => {
    const { host, from, to, move } = await moving(before, after)
    const tokens = await host.tokens(from.token)
    move()
    const first = expectTokens(await host.refresh(from.token, tokens))
    const repeated = expectTokens(await host.refresh(to.token, tokens, { resource: to.mcp }))
    expect(repeated.refresh_token).toBe(first.refresh_token)
  })

  it('has each of its tokens accepted at both addresses, and by a guard that knows the company by its key', async () => {
    const { host, from, to, move } = await moving(before, after)
    const old = await host.tokens(from.token)
    move()
    const next = await host.tokens(to.token)
    for (const { access_token } of [old, next]) {
      for (const address of [from.mcp, to.mcp, `${host.shared}/acme`]) {
        await host.get(address, access_token).expect(200)
      }
      await expect(host.signIn.verifyAccessToken(access_token, { anyTenant: true })).resolves.toMatchObject({
        tenantKey: 'acme',
      })
    }
    const refused = await host.get(to.mcp, `${old.access_token}x`)
    expectError(refused, 401, 'invalid_token')
  })

  it('asks for the scopes of a token from the old address again, when more are needed', async () => {
    const { host, from, to, move } = await moving(before, after)
    const { access_token } = await host.tokens(from.token)
    move()
    const refused = await host.get(`${host.shared}/more`, access_token).expect(403)
    expect(refused.headers['www-authenticate']).toContain('scope="profile calendar"')
    expect([from, to].map(({ mcp }) => new URL(mcp).host)).toContain(new URL(metadataIn(refused) ?? '').host)
  })

  it('has the same API at both addresses, also if its record names its resources', async () => {
    const { host, from, to, move } = await moving(before, after)
    const tokens = await host.tokens(from.token)
    for (const resources of [[from.mcp], [to.mcp], [to.mcp, from.mcp]]) {
      move({ resources })
      for (const { mcp } of [from, to]) {
        const { body } = await host.get(metadataIn(await host.get(mcp)) ?? '').expect(200)
        expect(body.resource).toBe(mcp)
        await host.get(mcp, tokens.access_token).expect(200)
      }
    }
    expectTokens(await host.refresh(to.token, tokens, { resource: to.mcp }))
  })

  it('still refuses another API than the one that was granted', async () => {
    const { host, from, to, move } = await moving(before, after)
    const tokens = await host.tokens(from.token, { resource: from.mcp })
    move({ resources: [to.mcp, 'https://files.example'] })
    for (const resource of ['https://files.example', 'https://other.example/mcp', from.issuer]) {
      expectError(await host.refresh(to.token, tokens, { resource }), 400, 'invalid_target')
    }
    expectTokens(await host.refresh(to.token, tokens))
  })

  it('still ends a grant whose API it no longer has', async () => {
    const { host, from, to, move } = await moving(before, after)
    const tokens = await host.tokens(from.token)
    move({ resources: ['https://files.example'] })
    expectError(await host.refresh(to.token, tokens), 400, 'invalid_grant')
  })

  it('is gone from the old address when its record no longer names it', async () => {
    const { host, from, to, move } = await moving(before, after)
    const tokens = await host.tokens(from.token)
    move()
    const next = expectTokens(await host.refresh(to.token, tokens))
    move({ formerBaseUrls: null })
    await host.get(from.metadata).expect(404)
    await host.get(from.mcp, next.access_token).expect(404)
    await host.refresh(from.token, next).expect(404)
    expectError(await host.get(to.mcp, tokens.access_token), 401, 'invalid_token')
    await host.get(to.mcp, next.access_token).expect(200)
  })
})

describe('a company with former addresses', () => {
  it('is not at a former address of another company', async () => {
    const host = await OwnDomainApi.start(() => [
      { ...acme, baseUrl: renamed, formerBaseUrls: [acmeAddress] },
      { ...acme, key: 'initech', id: 'initech', baseUrl: 'https://assistant.initech.example' },
    ])
    const { access_token } = await host.tokens(`${acmeAddress}/oauth/token`)
    expect(readToken(access_token).payload).toMatchObject({ iss: acmeAddress, tenant_id: 'acme' })
    await expect(host.signIn.verifyAccessToken(access_token, { tenantKey: 'initech' })).rejects.toMatchObject({
      code: 'invalid_token',
    })
  })
})
