import express from 'express'
import request from 'supertest'
import { describeWithNginx, FrontServer } from '../../support/front-server'
import { HostApp } from '../../support/host-app'
import { textOf } from '../pages'

const page = 'docs/rate-limits.md'

describeWithNginx('the limits of docs/rate-limits.md in nginx', () => {
  let app: HostApp
  let front: FrontServer
  beforeAll(async () => {
    app = await HostApp.start(() => express().use((_req, res) => res.json({ served: true })))
    const [zones = '', locations = ''] = [...textOf(page).matchAll(/^```nginx\n(.*?)^```$/gms)].map(([, text]) => text)
    // The address of a client is the one that the test says.
    const addresses = 'set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;'
    front = await FrontServer.nginx(
      ({ port }) => `${zones.replace(/rate=\d+r/g, 'rate=1r')}
        upstream app { server ${app.origin.replace('http://', '')}; }
        server { listen 127.0.0.1:${port}; ${addresses}\n${locations}\nlocation / { proxy_pass http://app; } }`,
    )
  })
  afterAll(async () => {
    await front.stop()
    await app.stop()
  })

  const send = (path: string, address: string, method: 'post' | 'options' = 'post') =>
    request(`http://127.0.0.1:${front.port}`)[method](path).set('X-Forwarded-For', address)

  /** Sends requests until one is refused. @returns How many were not. */
  async function untilRefused(path: string, address: string): Promise<number> {
    for (let served = 0; ; served++) {
      if ((await send(path, address)).status === 429) return served
      if (served > 1000) throw new Error('None is refused')
    }
  }

  it('let a burst through, and refuse the rest with JSON', async () => {
    expect(await untilRefused('/v1/acme/oauth/register', '192.0.2.1')).toBeGreaterThan(20)
    const { headers, body } = await send('/oauth/register', '192.0.2.1').expect(429)
    expect(body.error).toBe('too_many_requests')
    expect(headers).toMatchObject({
      'retry-after': '60',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    })
    await send('/v1/acme/oauth/register', '192.0.2.2').expect(200)
  })

  it('count the addresses of one IPv6 customer as one, and others apart', async () => {
    await untilRefused('/v1/acme/oauth/authorize', '2001:db8:1:2::1')
    await send('/v1/acme/oauth/authorize', '2001:db8:1:2:ffff:a0a:0:1').expect(429)
    await send('/v1/acme/oauth/authorize', '2001:db8:1:3::1').expect(200)
  })

  it('count neither preflights nor token requests', async () => {
    await untilRefused('/v1/acme/oauth/register', '192.0.2.4')
    await send('/v1/acme/oauth/register', '192.0.2.4', 'options').expect(200)
    for (let each = 0; each < 50; each++) await send('/v1/acme/oauth/token', '192.0.2.4').expect(200)
  })

  it('stand in front of every other route', async () => {
    for (const path of ['/v1/acme/oauth/revoke', '/v1/acme/oauth/jwks', '/.well-known/oauth-protected-resource/mcp']) {
      const zone = [...textOf(page).matchAll(/^location ~ (\S+) \{$/gm)].filter(([, pattern = '']) =>
        new RegExp(pattern).test(path),
      )
      expect({ path, zones: zone.length }).toEqual({ path, zones: 1 })
    }
  })
})
