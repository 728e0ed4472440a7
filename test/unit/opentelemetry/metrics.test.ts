import { promises as dns } from 'node:dns'
import { ConfigurationError } from 'customer-sign-in'
import { instrument } from 'customer-sign-in/opentelemetry'
import request from 'supertest'
import { ApiHost } from '../../support/api-host'
import { Authorization, asTheySay } from '../../support/authorization'
import { Heard } from '../../support/channels'
import { DocumentServer } from '../../support/document-server'
import { faultyStore, hangs, rejects } from '../../support/faulty-store'
import { OpenTelemetry } from '../../support/open-telemetry'
import { expectTokens } from '../../support/sign-in'
import { started } from '../../support/started'

afterEach(() => jest.restoreAllMocks())

/** A request to a guard, and one to an endpoint, which calls a store and fetches a document. */
async function heardOfEach() {
  const telemetry = await OpenTelemetry.start()
  const server = await DocumentServer.start()
  const host = (await ApiHost.start({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })).protect()
  const heard = Heard.start()
  await request(host.baseUrl).get('/v1/acme/mcp').expect(401)
  await new Authorization({ url: host.baseUrl }, { client_id: server.url() }).open().expect(200)
  await heard.of('request')
  return { telemetry, heard }
}

describe('the metrics', () => {
  it('count requests by endpoint and outcome, and replays', async () => {
    const telemetry = await OpenTelemetry.start()
    const host = await started({ replayTolerance: 0 })
    const heard = Heard.start()
    const { refresh_token } = await host.connected()
    expectTokens(await host.refresh(refresh_token))
    await host.refresh(refresh_token).expect(400)
    await heard.of('request', 3)
    expect(await telemetry.metrics('customer_sign_in_requests_total')).toEqual([
      'customer_sign_in_requests_total{customer_sign_in_endpoint="token",customer_sign_in_outcome="answered"} 2',
      'customer_sign_in_requests_total{customer_sign_in_endpoint="token",customer_sign_in_outcome="denied",customer_sign_in_error="invalid_grant",customer_sign_in_reason="replayed"} 1',
    ])
    expect((await telemetry.metrics('customer_sign_in_replays_total')).sort()).toEqual([
      'customer_sign_in_replays_total{customer_sign_in_replay_credential="code",customer_sign_in_replay_ended="false"} 0',
      'customer_sign_in_replays_total{customer_sign_in_replay_credential="code",customer_sign_in_replay_ended="true"} 0',
      'customer_sign_in_replays_total{customer_sign_in_replay_credential="refresh_token",customer_sign_in_replay_ended="false"} 0',
      'customer_sign_in_replays_total{customer_sign_in_replay_credential="refresh_token",customer_sign_in_replay_ended="true"} 1',
    ])
    expect(await telemetry.metrics('customer_sign_in_events_total')).toEqual(
      expect.arrayContaining([
        'customer_sign_in_events_total{customer_sign_in_event_type="issued"} 1',
        'customer_sign_in_events_total{customer_sign_in_event_type="refreshed"} 1',
        'customer_sign_in_events_total{customer_sign_in_event_type="replayed"} 1',
        'customer_sign_in_events_total{customer_sign_in_event_type="denied",customer_sign_in_reason="replayed"} 1',
      ]),
    )
  })

  it('measure in seconds how long requests, guards, store calls and fetches take', async () => {
    const { telemetry, heard } = await heardOfEach()
    const lines = await telemetry.metrics()
    // A host of an earlier test, of another file too, may still be reversing a swap.
    const counts = lines.filter((line) => line.includes('_duration_count') && !line.includes('"reverseSwap"')).sort()
    expect(counts).toEqual([
      'customer_sign_in_fetch_duration_count{} 1',
      'customer_sign_in_guard_duration_count{customer_sign_in_guard="protectedResource",customer_sign_in_outcome="challenged"} 1',
      'customer_sign_in_request_duration_count{customer_sign_in_endpoint="authorize",customer_sign_in_outcome="answered"} 1',
      'customer_sign_in_store_duration_count{customer_sign_in_store="tenantStore",db_system_name="TestTenants",db_operation_name="findTenant"} 2',
    ])
    const sum = lines.find((line) => line.startsWith('customer_sign_in_request_duration_sum')) ?? ''
    const [message] = await heard.of('request')
    expect(Number(sum.split(' ').at(-1))).toBeCloseTo((message?.duration ?? 0) / 1000, 9)
    expect(lines).toContain(
      'customer_sign_in_guard_requests_total{customer_sign_in_guard="protectedResource",customer_sign_in_outcome="challenged"} 1',
    )
    expect(lines.join('\n')).toMatch(/^customer_sign_in_documents_kept(\{\})? 1$/m)
  })

  it.each([
    ['failed', rejects],
    ['timeout', hangs],
  ])('tell of store calls that end with %s', async (type, fault) => {
    const telemetry = await OpenTelemetry.start()
    const { store, always } = faultyStore()
    const host = await started({ tokenStore: store, hostTimeout: 0.1 })
    always('listGrants', fault)
    await host.signIn.grants.list({ tenantKey: 'acme', subject: 'one' }).catch(() => {})
    expect((await telemetry.metrics('customer_sign_in_store_duration_count')).join()).toContain(`error_type="${type}"`)
  })

  it.each([
    ['https://10.0.0.1/client.json', 'forbidden'],
    ['https://inside.example/client.json', 'forbidden'],
    ['http://127.0.0.1:1/client.json', 'failed'],
  ])('tell of a fetch of %s as %s, without the address', async (client_id, type) => {
    const lookUp = jest.spyOn(dns, 'lookup') as unknown as jest.SpyInstance<Promise<{ address: string }[]>>
    lookUp.mockResolvedValue([{ address: '10.0.0.1' }])
    const telemetry = await OpenTelemetry.start()
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    await new Authorization(host, { client_id }).open()
    expect(await telemetry.metrics('customer_sign_in_fetch_duration_count')).toEqual([
      `customer_sign_in_fetch_duration_count{error_type="${type}"} 1`,
    ])
  })

  it('have no label that a stranger can make', async () => {
    const telemetry = await OpenTelemetry.start({ tenantLabel: (tenantKey) => tenantKey })
    const server = await DocumentServer.start((self) => (req, res) => {
      res.writeHead(Number(new URL(req.url ?? '', self.origin).searchParams.get('status'))).end()
    })
    const host = (await ApiHost.start({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })).protect()
    const url = host.baseUrl
    const heard = Heard.start()
    for (let index = 0; index < 20; index++) {
      await request(url).get(`/v1/stranger-${index}/oauth/jwks`).expect(404)
      await request(url).get(`/.well-known/oauth-protected-resource/v1/stranger-${index}/mcp`).expect(404)
      await request(url).get(`/v1/stranger-${index}/mcp`).set('Authorization', `Bearer stranger-${index}`).expect(404)
      await request(url).propfind('/v1/acme/oauth/token').expect(405)
      await request(url).post('/v1/acme/oauth/token').type('form').send(`client_id=stranger-${index}`).expect(401)
      await request(url).post('/v1/acme/oauth/token').type('form').send(`grant_type=stranger-${index}`).expect(400)
      await new Authorization({ url }, { client_id: `stranger-${index}` }).open()
      await new Authorization({ url }, { client_id: `${server.url()}?status=${400 + index}` }).open()
    }
    await heard.of('request', 140)
    const series = (await telemetry.metrics()).filter((line) => !line.includes('_bucket'))
    expect(series.join('\n')).not.toMatch(/stranger|PROPFIND|="4/)
    expect(series).toContain('customer_sign_in_fetch_duration_count{error_type="status"} 20')
    expect(series.length).toBeLessThan(50)
    expect(series.join('\n')).toContain('customer_sign_in_tenant_key="acme"')
  })

  it.each([
    ['as the host labels it', (key: string) => `tariff of ${key}`, 'customer_sign_in_tenant_key="tariff of acme"'],
    [
      'not, if the host gives none',
      () => undefined,
      'customer_sign_in_endpoint="jwks",customer_sign_in_outcome="answered"}',
    ],
    [
      "not, if the host's function throws",
      () => {
        throw new Error('no')
      },
      'customer_sign_in_endpoint="jwks",customer_sign_in_outcome="answered"}',
    ],
  ])('name a company %s', async (_, tenantLabel, label) => {
    const telemetry = await OpenTelemetry.start({ tenantLabel })
    const host = await started()
    const heard = Heard.start()
    await request(host.url).get('/v1/acme/oauth/jwks').expect(200)
    await heard.of('request')
    expect((await telemetry.metrics('customer_sign_in_requests_total')).join()).toContain(label)
  })

  it('say what they count, and in which unit', async () => {
    const { telemetry } = await heardOfEach()
    expect((await telemetry.metrics('# UNIT customer_sign_in')).sort()).toEqual([
      '# UNIT customer_sign_in_documents_kept {document}',
      '# UNIT customer_sign_in_events_total {event}',
      '# UNIT customer_sign_in_fetch_duration s',
      '# UNIT customer_sign_in_guard_duration s',
      '# UNIT customer_sign_in_guard_requests_total {request}',
      '# UNIT customer_sign_in_replays_total {replay}',
      '# UNIT customer_sign_in_request_duration s',
      '# UNIT customer_sign_in_requests_total {request}',
      '# UNIT customer_sign_in_store_duration s',
    ])
    const limits = (await telemetry.metrics('customer_sign_in_request_duration_bucket')).map(
      (line) => /le="([^"]+)"/.exec(line)?.[1],
    )
    // Those of the semantic conventions for HTTP, and smaller ones.
    const conventional = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
    expect(limits).toEqual([...[0.001, 0.0025, ...conventional].map(String), '+Inf'])
    const described = await telemetry.metrics('# HELP customer_sign_in')
    expect(described).toHaveLength(9)
    expect(described.filter((line) => line.endsWith('description missing'))).toEqual([])
    expect(described).toContain('# HELP customer_sign_in_events_total Events')
  })

  it('begin the counts of faults at 0, so that an alert notices the first one', async () => {
    const telemetry = await OpenTelemetry.start()
    expect((await telemetry.metrics('customer_sign_in_events_total')).sort()).toEqual(
      [
        'hook_failed',
        'login_loop',
        'misconfigured',
        'signer_failed',
        'tenant_store_failed',
        'token_store_failed',
        'unexpected',
      ].map(
        (reason) =>
          `customer_sign_in_events_total{customer_sign_in_event_type="error",customer_sign_in_reason="${reason}"} 0`,
      ),
    )
  })
})

describe('instrument', () => {
  it.each([
    [{ tenantLabel: 'acme' }, 'instrument.tenantLabel'],
    [{ meterProvider: {} }, 'instrument.meterProvider'],
    [{ tracerProvider: {} }, 'instrument.tracerProvider'],
    [{ tenants: true }, 'instrument.tenants'],
  ])('refuses %j', (options, name) => {
    expect(() => instrument(options as object)).toThrow(ConfigurationError)
    expect(() => instrument(options as object)).toThrow(name)
  })

  it('does without OpenTelemetry being set up', async () => {
    const stop = instrument()
    const host = await started()
    await host.connected()
    stop()
  })
})
