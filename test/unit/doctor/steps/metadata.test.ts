import { answerOf } from '../../../../src/doctor/answer'
import { readResource, readServer } from '../../../../src/doctor/steps/metadata'
import { type Found, Visit } from '../../../../src/doctor/visit'

const origin = 'https://assistant.example'
const address = `${origin}/v1/acme/mcp`
const issuer = `${origin}/v1/acme/oauth`
const members = {
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  response_types_supported: ['code'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  code_challenge_methods_supported: ['S256'],
  client_id_metadata_document_supported: true,
}
const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': 'mcp-protocol-version' }

/** A visit to servers that have these documents. `asked` are the addresses that were read. */
function visitTo(documents: Record<string, object>, found: Partial<Found>) {
  const visit = new Visit(address, {}, found)
  const asked: string[] = []
  visit.wire.ask = async (url, { method = 'GET' } = {}) => {
    const { href } = Object.assign(new URL(url), { search: '' })
    asked.push(href)
    const document = documents[href]
    const headers = { ...cors, 'content-type': 'application/json' }
    return answerOf(url, method, document ? 200 : 404, headers, JSON.stringify(document ?? {}))
  }
  return { visit, asked }
}

async function stepOf(visit: Visit, name: 'resource' | 'server') {
  if (name === 'server') await visit.step(name, readServer)
  else await visit.step(name, readResource)
  return visit.report().steps[0]
}

describe('the metadata of the authorization server', () => {
  const at = (own: string) => ({ resource: { resource: address, issuer: own, reachedAt: own } })

  it.each([
    [
      issuer,
      [
        `${origin}/.well-known/oauth-authorization-server/v1/acme/oauth`,
        `${origin}/.well-known/openid-configuration/v1/acme/oauth`,
        `${issuer}/.well-known/openid-configuration`,
        `${issuer}/.well-known/oauth-authorization-server`,
      ],
    ],
    [
      `${issuer}/`,
      [
        `${origin}/.well-known/oauth-authorization-server/v1/acme/oauth/`,
        `${origin}/.well-known/openid-configuration/v1/acme/oauth/`,
        `${issuer}/.well-known/openid-configuration`,
        `${issuer}/.well-known/oauth-authorization-server`,
      ],
    ],
    [`${origin}/`, [`${origin}/.well-known/oauth-authorization-server`, `${origin}/.well-known/openid-configuration`]],
  ])('of %s is looked for once in each place', async (own, places) => {
    const { visit, asked } = visitTo({}, at(own))
    expect((await stepOf(visit, 'server'))?.findings).toMatchObject([
      { code: 'not-routed', says: expect.stringContaining(`GET ${places[0]} is answered with 404`) },
    ])
    // Each place is read again past caches.
    expect(asked).toEqual(places.flatMap((place) => [place, place]))
  })

  it.each([`${origin}/.well-known/openid-configuration/v1/acme/oauth`, `${issuer}/.well-known/openid-configuration`])(
    'may be that of OpenID Connect: %s',
    async (place) => {
      const { visit } = visitTo({ [place]: members }, at(issuer))
      expect(await stepOf(visit, 'server')).toMatchObject({
        findings: [],
        notes: [`The metadata is that of OpenID Connect: ${place}`],
      })
    },
  )

  it('is found below the issuer, where no assistant looks', async () => {
    const place = `${issuer}/.well-known/oauth-authorization-server`
    const { visit } = visitTo({ [place]: members }, at(issuer))
    expect(await stepOf(visit, 'server')).toMatchObject({ findings: [{ code: 'metadata-not-at-root' }], notes: [] })
  })

  it.each([
    ['https://tokens.example/revoke', [], ['revocation_endpoint is on another host: https://tokens.example/revoke']],
    ['http://tokens.example/revoke', ['http-endpoint'], []],
    [`${issuer}/revoke`, [], []],
  ])('is judged by the scheme and host of an endpoint: %s', async (endpoint, codes, notes) => {
    const place = `${origin}/.well-known/oauth-authorization-server/v1/acme/oauth`
    const { visit } = visitTo({ [place]: { ...members, revocation_endpoint: endpoint } }, at(issuer))
    const step = await stepOf(visit, 'server')
    expect(step?.findings.map(({ code }) => code)).toEqual(codes)
    expect(step?.notes).toEqual(notes)
  })
})

describe('the metadata of the API', () => {
  const at = (place: string | undefined) => ({
    api: { asked: { method: 'GET' }, challenge: { resource_metadata: place } },
  })
  const document = { resource: address, authorization_servers: [issuer] }
  const expected = `${origin}/.well-known/oauth-protected-resource/v1/acme/mcp`

  it('may be anywhere on the host of the API', async () => {
    const place = `${origin}/metadata/acme`
    const { visit, asked } = visitTo({ [place]: document }, at(place))
    expect(await stepOf(visit, 'resource')).toMatchObject({ findings: [], notes: [] })
    expect(new Set(asked)).toEqual(new Set([place]))
  })

  it.each([
    ['https://login.example', []],
    ['http://login.example', ['wrong-host: authorization_servers']],
    ['https://assistant.example:8443', ['wrong-host: authorization_servers']],
  ])('is judged by the scheme and host of its authorization server: %s', async (server, finds) => {
    const { visit } = visitTo({ [expected]: { ...document, authorization_servers: [server] } }, at(expected))
    const step = await stepOf(visit, 'resource')
    expect(step?.findings.map(({ code, says }) => `${code}: ${says.split(' ', 1)}`)).toEqual(finds)
    expect(step?.notes).toEqual(
      finds.length > 0 ? [] : [`The authorization server is on another host than the API: ${server}`],
    )
  })

  it('says once that the app has another address', async () => {
    const elsewhere = (url: string) => url.replace(origin, 'https://staging.example')
    const of = { resource: elsewhere(address), authorization_servers: [elsewhere(issuer)] }
    const { visit } = visitTo({ [expected]: of }, at(elsewhere(expected)))
    expect((await stepOf(visit, 'resource'))?.findings.map(({ says }) => says)).toEqual([
      `resource_metadata is ${elsewhere(expected)}: it is on staging.example, not on assistant.example`,
    ])
  })

  it('is judged also after something else was found', async () => {
    const named = { ...document, resource: 'https://staging.example/v1/acme/mcp' }
    const { visit } = visitTo({ [expected]: named }, at('/metadata'))
    const codes = (await stepOf(visit, 'resource'))?.findings.map(({ code }) => code)
    expect(codes).toEqual(['member-missing', 'wrong-host'])
  })

  it('leads to an app that believes itself to be elsewhere, also if it names the port', async () => {
    const elsewhere = (url: string) => url.replace(origin, 'https://staging.example:443')
    const own = {
      ...members,
      issuer: elsewhere(issuer),
      authorization_endpoint: elsewhere(members.authorization_endpoint),
      token_endpoint: elsewhere(members.token_endpoint),
    }
    const named = { resource: elsewhere(address), authorization_servers: [elsewhere(issuer)] }
    const place = `${origin}/.well-known/oauth-authorization-server/v1/acme/oauth`
    const { visit } = visitTo({ [expected]: named, [place]: own }, at(expected))
    await stepOf(visit, 'resource')
    expect(visit.found('resource')).toMatchObject([{ issuer: elsewhere(issuer), reachedAt: issuer }])
    await stepOf(visit, 'server')
    expect(visit.found('server')).toMatchObject([
      { authorization: members.authorization_endpoint, token: members.token_endpoint },
    ])
  })

  it('says which prefix the proxy removes', async () => {
    const { visit } = visitTo({}, at(`${origin}/.well-known/oauth-protected-resource/mcp`))
    expect((await stepOf(visit, 'resource'))?.findings).toMatchObject([
      {
        says: 'The address has the path /v1/acme/mcp, but the app knows /mcp: the proxy removes /v1/acme from it',
        remedy: expect.stringContaining(`Set \`baseUrl\` to ${origin}/v1/acme,`),
      },
    ])
  })
})
