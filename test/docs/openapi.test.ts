import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApi } from '../../scripts/openapi/description'
import { ApiHost } from '../support/api-host'

const path = join(__dirname, '../../docs/openapi.json')
const described = JSON.parse(readFileSync(path, 'utf8'))

describe('docs/openapi.json', () => {
  it('is as npm run docs writes it, from the tables of routes, grant types, client authentication and errors', () => {
    expect(readFileSync(path, 'utf8')).toBe(openApi())
  })

  it('is valid OpenAPI 3.1', () => {
    const validated = `
      import { Validator } from '@seriousme/openapi-schema-validator'
      const validator = new Validator()
      const { valid, errors } = await validator.validate(${JSON.stringify(path)})
      console.log(JSON.stringify({ valid, errors, version: validator.version }))`
    // The validator is an ES module, which Jest cannot import.
    const report = execFileSync(process.execPath, ['--input-type=module', '-e', validated], {
      cwd: __dirname,
      encoding: 'utf8',
    })
    expect(JSON.parse(report)).toEqual({ valid: true, version: '3.1' })
  })

  it('describes what a server has, and no more', async () => {
    const host = await ApiHost.start({ authenticate: () => ({ subject: 'customer-1' }) })
    const names = { tenantKey: 'acme', api: 'mcp' }
    host.protect()
    for (const [route, { parameters: _, ...verbs }] of Object.entries<Record<string, object>>(described.paths)) {
      const url = host.baseUrl + route.replace(/\{(\w+)\}/g, (_match, name: keyof typeof names) => names[name])
      for (const method of ['GET', 'POST', 'PUT']) {
        const { status } = await fetch(url, { method, redirect: 'manual' })
        expect([route, method, status === 405]).toEqual([route, method, !(method.toLowerCase() in verbs)])
        expect(status).not.toBe(404)
      }
    }
  })

  it('has a response for every way in which the token endpoint refuses', async () => {
    const { baseUrl } = await ApiHost.start()
    const { responses } = described.paths['/v1/{tenantKey}/oauth/token'].post
    for (const [tenantKey, body] of [
      ['acme', {}],
      ['acme', { client_id: 'nobody', grant_type: 'refresh_token' }],
      ['nowhere', {}],
    ] as const) {
      const response = await fetch(`${baseUrl}/v1/${tenantKey}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams(body),
      })
      const { schema } = responses[response.status].content['application/json']
      expect(schema.allOf[1].properties.error.enum).toContain(Object(await response.json()).error)
    }
  })
})
