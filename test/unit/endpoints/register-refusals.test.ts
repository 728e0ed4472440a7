import { randomBytes } from 'node:crypto'
import express from 'express'
import request from 'supertest'
import { HostApp, testSignIn } from '../../support/host-app'
import { register } from '../../support/registration'
import { expectError, redirectUri, TestSignIn } from '../../support/sign-in'
import { started } from '../../support/started'
import { registrable, unregistrable } from '../../support/unregistrable-redirect-uris'
import { head, rawRequest } from '../http/raw-request'

const cursor = 'cursor://anysphere.cursor-mcp/oauth/callback'

describe('a registration is refused', () => {
  let host: TestSignIn
  beforeAll(async () => {
    host = await TestSignIn.start()
  })
  afterAll(() => host.stop())

  it.each<[what: string, metadata: object, error: string, named: RegExp]>([
    ['no redirect URIs', { redirect_uris: undefined }, 'invalid_redirect_uri', /redirect_uris/],
    ['null for them', { redirect_uris: null }, 'invalid_redirect_uri', /redirect_uris/],
    ['an empty list of them', { redirect_uris: [] }, 'invalid_redirect_uri', /1 to 20/],
    ['one that is no list', { redirect_uris: redirectUri }, 'invalid_redirect_uri', /array/],
    ['an object of them', { redirect_uris: { 0: redirectUri, length: 1 } }, 'invalid_redirect_uri', /array/],
    ['too many of them', { redirect_uris: Array(21).fill(redirectUri) }, 'invalid_redirect_uri', /1 to 20/],
    [
      'bad ones',
      { redirect_uris: ['http://x.example/', 'javascript:1'] },
      'invalid_redirect_uri',
      /\[0\].* https, except/,
    ],
    [
      '21 of them, one bad',
      { redirect_uris: [...Array(20).fill(redirectUri), 'x'] },
      'invalid_redirect_uri',
      /1 to 20/,
    ],
    ['a name that is no text', { client_name: { toString: 'x' } }, 'invalid_client_metadata', /client_name/],
    ['a scope that is no text', { scope: ['profile'] }, 'invalid_client_metadata', /scope/],
    ['grant types without codes', { grant_types: ['refresh_token'] }, 'invalid_client_metadata', /authorization_code/],
    ['grant types that are no list', { grant_types: 'authorization_code' }, 'invalid_client_metadata', /grant_types/],
    ['only what services use', { grant_types: ['client_credentials'] }, 'invalid_client_metadata', /grant_types/],
    ['only the implicit grant', { grant_types: ['implicit'] }, 'invalid_client_metadata', /grant_types/],
    ['response types without code', { response_types: ['token'] }, 'invalid_client_metadata', /response_types/],
    ['response types that are no list', { response_types: 'code' }, 'invalid_client_metadata', /response_types/],
  ])('with %s', async (_, metadata, error, named) => {
    expect(expectError(await register(host, metadata), 400, error)).toMatch(named)
  })

  it.each(Object.entries(unregistrable))('with a redirect URI that has %s', async (_, redirectUris) => {
    for (const redirectUri of redirectUris) {
      const description = expectError(
        await register(host, { redirect_uris: [redirectUri] }),
        400,
        'invalid_redirect_uri',
      )
      expect(description).toMatch(/^redirect_uris\[0\] must /)
    }
    expect(Object.values(unregistrable).flat().length).toBeGreaterThan(100)
  })

  it.each([
    '',
    '{',
    'null',
    '7',
    '"text"',
    '[]',
    '[{"redirect_uris":["https://assistant.example/callback"]}]',
    '{"redirect_uris":["https://assistant.example/callback"]}}',
    '\ufeff{',
    'redirect_uris=https://assistant.example/callback',
  ])('if the body is not a JSON object: %j', async (body) => {
    expect(expectError(await register(host, body), 400, 'invalid_request')).toContain('JSON object')
  })

  it.each([
    ['__proto__', '{"__proto__":{"redirect_uris":["https://assistant.example/callback"]}}'],
    ['constructor', '{"constructor":{"prototype":{"redirect_uris":["https://assistant.example/callback"]}}}'],
  ])('if the metadata is meant for %s, and no other object gets it', async (_, body) => {
    expectError(await register(host, body), 400, 'invalid_redirect_uri')
    expect({}).not.toHaveProperty('redirect_uris')
    const app = await HostApp.start((baseUrl) => express().use(express.json()).use(testSignIn({ baseUrl })))
    const response = await register({ url: app.origin }, body)
    await app.stop()
    expectError(response, 400, 'invalid_redirect_uri')
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'application/json; charset=utf-16'])(
    'of the type %s',
    async (type) => {
      const response = await register(host).set('Content-Type', type)
      expectError(response, 400, 'invalid_request')
    },
  )

  it('without a content type', async () => {
    const body = JSON.stringify({ redirect_uris: [redirectUri] })
    const top = head('POST /v1/acme/oauth/register', { 'Content-Length': body.length })
    const response = await rawRequest(host.url, top, body)
    expect({ status: response.status, ...JSON.parse(response.body) }).toMatchObject({
      status: 400,
      error: 'invalid_request',
    })
  })

  it('from 16 KiB on, whether the length is announced or not', async () => {
    const sized = (bytes: number) => {
      const [before, after] = ['{"redirect_uris":["https://assistant.example/callback"],"x":"', '"}']
      return `${before}${'x'.repeat(bytes - before.length - after.length)}${after}`
    }
    await register(host, sized(16_384)).expect(201)
    expectError(await register(host, sized(16_385)), 413, 'invalid_request')
    const chunked = head('POST /v1/acme/oauth/register', {
      'Content-Type': 'application/json',
      'Transfer-Encoding': 'chunked',
    })
    const chunk = sized(16_385)
    const response = await rawRequest(host.url, chunked, `${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`)
    expect({ status: response.status, ...JSON.parse(response.body) }).toMatchObject({
      status: 413,
      error: 'invalid_request',
    })
  })

  it('for which an id of 1,024 characters has no room, naming what to shorten', async () => {
    const noise = (length: number) => randomBytes(length).toString('hex').slice(0, length)
    const long = { redirect_uris: Array.from({ length: 3 }, () => `https://assistant.example/${noise(480)}`) }
    const description = expectError(await register(host, long), 400, 'invalid_client_metadata')
    expect(description).toMatch(/at most 1024 characters: shorten redirect_uris$/)
    const keys = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: `https://keys.example/${noise(1800)}` }
    const signing = await started({ clients: { authentication: ['none', 'private_key_jwt'] } })
    expect(expectError(await register(signing, keys), 400, 'invalid_client_metadata')).toMatch(/shorten jwks_uri$/)
    const one = { redirect_uris: [`https://assistant.example/${noise(480)}`], software_statement: noise(5000) }
    const { body } = await register(host, one).expect(201)
    expect(body.client_id.length).toBeLessThanOrEqual(1024)
  })

  it('by another method', async () => {
    const response = await request(host.issuer()).get('/register')
    expectError(response, 405, 'method_not_allowed')
    expect(response.headers.allow).toBe('POST, OPTIONS')
  })

  it('at an unknown tenant', async () => {
    expectError(await register(host, {}, 'nobody'), 404, 'not_found')
  })
})

describe('a registration', () => {
  it.each(registrable)('is accepted with %s', async (redirectUri) => {
    const { body } = await register(await started(), { redirect_uris: [redirectUri] }).expect(201)
    expect(body.redirect_uris).toEqual([redirectUri])
  })

  it.each([
    ['20 redirect URIs', { redirect_uris: Array.from({ length: 20 }, (_, index) => `${redirectUri}/${index}`) }],
    ['a client_uri of 512 characters', { client_uri: `https://assistant.example/${'x'.repeat(486)}` }],
  ])('is accepted with %s, which is the maximum', async (_, metadata) => {
    const { body } = await register(await started(), metadata).expect(201)
    expect(Object.keys(body)).toEqual(expect.arrayContaining(Object.keys(metadata)))
  })

  it('is accepted with the app addresses that the host names, and no others', async () => {
    const host = await started({ clients: { appRedirects: ['assistant:/callback', 'assistant://connect/'] } })
    const accepted = ['assistant:/callback', 'assistant://connect/oauth', 'com.example.app:/callback']
    await register(host, { redirect_uris: accepted }).expect(201)
    for (const redirectUri of [
      'assistant:/callbacks',
      'assistant:/callback/evil',
      'assistant://connect.evil/',
      cursor,
    ]) {
      const description = expectError(
        await register(host, { redirect_uris: [redirectUri] }),
        400,
        'invalid_redirect_uri',
      )
      expect(description).toContain('an app address that is accepted here')
    }
  })

  it('is accepted with https and loopback alone where the host has switched the addresses of apps off', async () => {
    const host = await started({ clients: { appRedirects: false } })
    const [loopback, ofApp] = ['http://127.0.0.1/callback', 'com.example.app:/callback']
    const { body } = await register(host, { redirect_uris: [redirectUri, loopback, ofApp, cursor] }).expect(201)
    expect(body.redirect_uris).toEqual([redirectUri, loopback])
    for (const refused of [ofApp, cursor]) {
      const description = expectError(await register(host, { redirect_uris: [refused] }), 400, 'invalid_redirect_uri')
      expect(description).toBe('redirect_uris[0] must be https, except on loopback')
    }
  })
})
