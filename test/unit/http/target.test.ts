import { clientId, formBody } from '../../support/sign-in'
import { started } from '../../support/started'
import { head, rawRequest } from './raw-request'

const form = formBody({ grant_type: 'refresh_token', client_id: clientId, refresh_token: 'csir_' })
const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': form.length }

describe('a request target that no client library would send', () => {
  it.each([
    '/v1/acme%2Fglobex/oauth/token',
    '/v1/%2Facme/oauth/token',
    '/v1/acme%2F..%2Fglobex/oauth/token',
    '/v1/../oauth/token',
    '/v1/./oauth/token',
    '/v1/%2e%2e/oauth/token',
    '/v1/acme/../globex/oauth/token',
    '/v1/globex/oauth/../../acme/oauth/token',
    '/v1/acme\\/oauth/token',
    '/v1/acme%00/oauth/token',
    '/v1/%E2%98%83/oauth/token',
    '/v1/acm%C3%A9/oauth/token',
    '/v1/%E0%A4%A/oauth/token',
    '/v1/__proto__/oauth/token',
    `/v1/${'a'.repeat(10_000)}/oauth/token`,
    '*',
    ...['x;', 'user@x', 'x%41', 'x:y', 'x:', '[x]'].map((authority) => `http://${authority}/v1/acme/oauth/token`),
    'ftp://x/v1/acme/oauth/token',
    '//x/v1/acme/oauth/token',
    '/v1/acme/oauth/token#',
    '/v1/acme#/oauth/token',
  ])('is a 404, and the tenant store is asked only for possible keys: %.60s', async (target) => {
    const asked: string[] = []
    const host = await started({
      tenantStore: {
        findTenant: (key) => {
          asked.push(key)
          return undefined
        },
      },
    })
    const response = await rawRequest(host.url, head(`POST ${target}`, headers), form)
    expect({ status: response.status, ...JSON.parse(response.body) }).toMatchObject({ status: 404, error: 'not_found' })
    expect(asked.filter((key) => key !== '__proto__')).toEqual([])
  })

  it.each(['/v1/ac me/oauth/token', '/v1/ac\u0000me/oauth/token'])(
    'is a 400 where it is not one of HTTP: %j',
    async (target) => expect(await statusOf(target)).toBe(400),
  )

  it.each(['/v1/acmé/oauth/token', '/v1/☃/oauth/token'])(
    'is a 400 where it is not ASCII, or a 404 on Node 20.19, whose parser lets it pass: %j',
    async (target) => expect([400, 404]).toContain(await statusOf(target)),
  )

  /** The status of the answer. After it, the host answers others. */
  async function statusOf(target: string): Promise<number> {
    const host = await started({
      tenantStore: {
        findTenant(key) {
          if (key === 'acme') return { key, id: key, name: 'Acme' }
          throw new Error(`The tenant store was asked for ${key}`)
        },
      },
    })
    const { status } = await rawRequest(host.url, head(`POST ${target}`, headers), form)
    expect((await fetch(`${host.issuer()}/jwks`)).status).toBe(200)
    return status
  }

  it.each([
    'http://localhost',
    'https://assistant.example:8443',
    'HTTP://ASSISTANT.example',
    'http://127.0.0.1:80',
    'http://[::1]:8080',
  ])('is served in absolute form, which every server must accept (RFC 9112 section 3.2.2): %s', async (origin) => {
    const host = await started()
    const target = `${origin}/v1/acme/oauth/token`
    const response = await rawRequest(host.url, head(`POST ${target}`, headers), form)
    expect({ status: response.status, ...JSON.parse(response.body) }).toMatchObject({
      status: 400,
      error: 'invalid_grant',
    })
  })
})
