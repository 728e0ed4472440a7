import { forgedToken } from '../../support/forged-token'
import { acmeAddress, initechAddress, onDomains } from '../../support/own-domain'
import { metadataIn, OwnDomainApi } from '../../support/own-domain-api'
import { expectError, expectTokens } from '../../support/sign-in'

const acmeMcp = `${acmeAddress}/mcp`
const acmeToken = `${acmeAddress}/oauth/token`
const initechMcp = `${initechAddress}/mcp`
const metadataOfAcmeMcp = `${acmeAddress}/.well-known/oauth-protected-resource/mcp`

const withDomains = () => OwnDomainApi.start(() => onDomains)

describe('a protected resource on a company’s own domain', () => {
  it('leads a client to its metadata and to the company’s sign-in, all on that domain', async () => {
    const host = await withDomains()
    const refused = await host.get(acmeMcp).expect(401)
    expect(metadataIn(refused)).toBe(metadataOfAcmeMcp)
    const { body } = await host.get(metadataOfAcmeMcp).expect(200)
    expect(body).toMatchObject({ resource: acmeMcp, authorization_servers: [acmeAddress] })
  })

  it.each(['', '/', '/messages?x=1'])('lets a token for it through at its path and below: %j', async (below) => {
    const host = await withDomains()
    const { access_token } = await host.tokens(acmeToken)
    const { body } = await host.get(acmeMcp + below, access_token).expect(200)
    expect(body).toEqual({ subject: 'customer-1', tenantKey: 'acme', resource: acmeMcp })
  })

  it('is called by pages of that domain, and by none of the domain that all share', async () => {
    const host = await withDomains()
    await host.get(acmeMcp).set('Origin', acmeAddress).expect(401)
    await host.get(acmeMcp).set('Origin', host.shared).expect(403)
    await host.get(`${host.shared}/v1/globex/mcp`).set('Origin', host.shared).expect(401)
  })

  it('refuses a token of another company, whichever has a domain', async () => {
    const host = await withDomains()
    const { access_token: ofAcme } = await host.tokens(acmeToken)
    const refused = await host.get(initechMcp, ofAcme)
    expectError(refused, 401, 'invalid_token')
    expect(metadataIn(refused)).toBe(`${initechAddress}/.well-known/oauth-protected-resource/mcp`)
    expectError(await host.get(`${host.shared}/v1/globex/mcp`, ofAcme), 401, 'invalid_token')
    const globex = { tenantKey: 'globex' }
    const { access_token: ofGlobex } = await host.tokens(`${host.shared}/v1/globex/oauth/token`, globex)
    expectError(await host.get(acmeMcp, ofGlobex), 401, 'invalid_token')
    await host.get(`${host.shared}/v1/globex/mcp`, ofGlobex).expect(200)
  })

  it('is for the company in the path, if the path has one, on a host that is no company’s', async () => {
    const host = await withDomains()
    const globex = { tenantKey: 'globex' }
    const { access_token } = await host.tokens(`${host.shared}/v1/globex/oauth/token`, globex)
    host.lookUps.length = 0
    await host.get(`${host.shared}/v1/globex/mcp`, access_token).expect(200)
    expect(host.lookUps).toEqual([])
    await host.get('http://mcp.internal:8080/v1/globex/mcp', access_token).expect(200)
    expect(host.lookUps).toEqual(['mcp.internal:8080'])
  })

  it('is not there for another company', async () => {
    const host = await withDomains()
    const { access_token } = await host.tokens(acmeToken)
    const globex = { tenantKey: 'globex' }
    const { access_token: ofGlobex } = await host.tokens(`${host.shared}/v1/globex/oauth/token`, globex)
    for (const token of [undefined, access_token, ofGlobex]) {
      const refused = await host.get(`${acmeAddress}/v1/globex/mcp`, token)
      expectError(refused, 404, 'not_found')
      expect(metadataIn(refused)).toBeUndefined()
    }
    for (const address of [`${acmeAddress}/v1/acme/mcp`, `${host.shared}/v1/acme/mcp`]) {
      expectError(await host.get(address, access_token), 404, 'not_found')
    }
  })

  it('is nowhere on other hosts', async () => {
    const host = await withDomains()
    const { access_token } = await host.tokens(acmeToken)
    for (const origin of [host.shared, 'https://other.example', `${acmeAddress}.`, `${acmeAddress}:8443`]) {
      expectError(await host.get(`${origin}/mcp`, access_token), 404, 'not_found')
      await host.get(`${origin}/.well-known/oauth-protected-resource/mcp`).expect(404)
    }
    await host.get(`${acmeAddress}/.well-known/oauth-protected-resource/mcp/x`).expect(404)
    await host.get(`${acmeAddress}/.well-known/oauth-protected-resource/v1/acme/mcp`).expect(404)
  })

  it('is meant by a client that names only the domain', async () => {
    const host = await withDomains()
    const tokens = await host.tokens(acmeToken, { resource: acmeAddress })
    await host.get(acmeMcp, tokens.access_token).expect(200)
    expectTokens(await host.refresh(acmeToken, tokens, { resource: `${acmeAddress}/` }))
  })

  it('is nowhere without a key if companies have no domains', async () => {
    const host = await OwnDomainApi.start(() => [{ key: 'acme' }])
    expectError(await host.get(`${host.shared}/mcp`), 404, 'not_found')
  })
})

describe('requireAccessToken', () => {
  it('can be told the company by the domain', async () => {
    const host = await withDomains()
    const { access_token } = await host.tokens(acmeToken)
    const { body } = await host.get(`${acmeAddress}/bookings`, access_token).expect(200)
    expect(body).toMatchObject({ tenantKey: 'acme' })
    expectError(await host.get(`${initechAddress}/bookings`, access_token), 401, 'invalid_token')
    expectError(await host.get('https://other.example/bookings', access_token), 404, 'not_found')
  })

  it('leads to the metadata on the company’s domain, also for a scope that is missing', async () => {
    const host = await withDomains()
    expect(metadataIn(await host.get(`${host.shared}/acme`).expect(401))).toBe(metadataOfAcmeMcp)
    const { access_token } = await host.tokens(acmeToken)
    const refused = await host.get(`${host.shared}/more`, access_token).expect(403)
    expect(metadataIn(refused)).toBe(metadataOfAcmeMcp)
  })
})

describe('verifyAccessToken with anyTenant', () => {
  it('finds a company by its domain, and only by its own', async () => {
    const host = await withDomains()
    const { access_token } = await host.tokens(acmeToken)
    const verify = () => host.signIn.verifyAccessToken(access_token, { anyTenant: true })
    await expect(verify()).resolves.toMatchObject({ tenantKey: 'acme', resource: new URL(acmeMcp) })
    host.companies = onDomains.map((company) => ({ ...company, baseUrl: undefined }))
    await expect(verify()).rejects.toMatchObject({ code: 'invalid_token' })
    // The domain has passed to another company.
    host.companies = onDomains.map(({ baseUrl, ...company }) =>
      company.key === 'initech' ? { ...company, baseUrl: acmeAddress } : company,
    )
    await expect(verify()).rejects.toMatchObject({ code: 'invalid_token' })
  })

  it.each([
    "https://x' or 1=1 --",
    "https://x'y",
    'https://ACME.com',
    'https://other.example:443',
    'https://999.999.999.999',
    `${acmeAddress}/`,
    'ftp://other.example',
  ])('looks no company up for a signed token whose issuer is %j', async (iss) => {
    const host = await withDomains()
    const { access_token } = await host.tokens(acmeToken)
    host.lookUps.length = 0
    const verified = host.signIn.verifyAccessToken(forgedToken(access_token, { payload: { iss } }), { anyTenant: true })
    await expect(verified).rejects.toMatchObject({ code: 'invalid_token', reason: 'unknown_token' })
    expect(host.lookUps).toEqual([])
  })

  it('looks no company up for a token that this server has not signed', async () => {
    const host = await withDomains()
    const payload = Buffer.from(JSON.stringify({ iss: acmeAddress })).toString('base64url')
    const verified = host.signIn.verifyAccessToken(`e30.${payload}.e30`, { anyTenant: true })
    await expect(verified).rejects.toMatchObject({ code: 'invalid_token', reason: 'unknown_token' })
    expect(host.lookUps).toEqual([])
  })

  it('says of an expired token of a company with a domain that it has expired', async () => {
    const host = await withDomains()
    const { access_token } = await host.tokens(acmeToken)
    const expired = forgedToken(access_token, { payload: { exp: 1 } })
    await expect(host.signIn.verifyAccessToken(expired, { anyTenant: true })).rejects.toMatchObject({
      reason: 'token_expired',
      context: { tenantKey: 'acme' },
    })
  })

  it.each(['', 'x', `${acmeAddress}/`, 'https://', 'https://other.example', `https://user@${acmeAddress.slice(8)}`])(
    'refuses a token whose issuer is %j',
    async (iss) => {
      const host = await withDomains()
      const token = `e30.${Buffer.from(JSON.stringify({ iss })).toString('base64url')}.e30`
      await expect(host.signIn.verifyAccessToken(token, { anyTenant: true })).rejects.toMatchObject({
        code: 'invalid_token',
      })
    },
  )
})
