import type { RequestListener } from 'node:http'
import type { CustomerSignIn } from 'customer-sign-in'
import express from 'express'
import request from 'supertest'
import { codeForm, HostApp, postToken, refreshForm, signedInTo, testSignIn } from '../../support/host-app'
import { expectError, expectTokens } from '../../support/sign-in'

/** A sign-in under a path, with its own API. */
interface Brand {
  path: string
  issuer: string
  signIn: CustomerSignIn
}

function onExpress(brands: Brand[]): RequestListener {
  const app = express()
  for (const { path, signIn } of brands) {
    app.use(signIn.wellKnown)
    app.use(path, signIn)
    app.get(`/api${path}`, signIn.requireAccessToken({ tenantKey: 'acme' }), (_req, res) => res.send(path))
  }
  return app
}

function onNodeHttp(brands: Brand[]): RequestListener {
  return brands.reduceRight<RequestListener>(
    (others, { path, signIn }) => {
      const protect = signIn.requireAccessToken({ tenantKey: 'acme' })
      return (req, res) => {
        if (req.url === `/api${path}`) protect(req, res, () => res.end(path))
        else signIn(req, res, () => others(req, res))
      }
    },
    (_req, res) => res.writeHead(404).end(),
  )
}

describe.each([
  ['Express', onExpress],
  ['node:http', onNodeHttp],
])('several sign-ins in one process, on %s', (_name, assemble) => {
  let host: HostApp
  let brands: Brand[]
  beforeAll(async () => {
    host = await HostApp.start((origin) => {
      brands = ['/shop', '/shop/partners', '/shopping'].map((path) => ({
        path,
        issuer: `${origin}${path}/v1/acme/oauth`,
        // They share one key, so that only the issuer tells their tokens apart.
        signIn: testSignIn({ baseUrl: origin + path }),
      }))
      return assemble(brands)
    })
  })
  afterAll(() => host.stop())

  const statusAt = async ({ path }: Brand, accessToken: string) =>
    (await request(host.origin).get(`/api${path}`).set('Authorization', `Bearer ${accessToken}`)).status

  it('have a metadata document each, at the root of the host', async () => {
    for (const { path, issuer } of brands) {
      const { body } = await request(host.origin)
        .get(`/.well-known/oauth-authorization-server${path}/v1/acme/oauth`)
        .expect(200)
      expect(body).toMatchObject({ issuer, token_endpoint: `${issuer}/token` })
    }
  })

  it('accept only their own tokens', async () => {
    for (const brand of brands) {
      const tokens = expectTokens(await postToken(brand.issuer, codeForm(await signedInTo(brand.signIn))))
      for (const other of brands.filter((candidate) => candidate !== brand)) {
        expect(await statusAt(other, tokens.access_token)).toBe(401)
        expectError(await postToken(other.issuer, refreshForm(tokens.refresh_token)), 400, 'invalid_grant')
      }
      expect(await statusAt(brand, tokens.access_token)).toBe(200)
      expectTokens(await postToken(brand.issuer, refreshForm(tokens.refresh_token)))
    }
  })
})
