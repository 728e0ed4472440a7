import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { isTracingSuppressed, type RPCMetadata, RPCType, setRPCMetadata } from '@opentelemetry/core'
import { AlwaysOffSampler, AlwaysOnSampler, type ReadableSpan } from '@opentelemetry/sdk-trace-base'
import { PostgresTokenStore } from 'customer-sign-in/postgres'
import { RedisTokenStore } from 'customer-sign-in/redis'
import request from 'supertest'
import { guardedFetch } from '../../../src/documents/guarded-fetch'
import { ApiHost } from '../../support/api-host'
import { Authorization, asTheySay } from '../../support/authorization'
import { Heard } from '../../support/channels'
import { DocumentServer } from '../../support/document-server'
import { faultyStore, rejects } from '../../support/faulty-store'
import { OpenTelemetry } from '../../support/open-telemetry'
import { acmeHost, onDomains, storeOf } from '../../support/own-domain'
import { clientId } from '../../support/sign-in'
import { started } from '../../support/started'

const named = (spans: readonly ReadableSpan[], name: string) => {
  const [found, ...others] = spans.filter((span) => span.name === name)
  if (!found || others.length > 0) throw new Error(`Not one ${name}: ${spans.map((span) => span.name)}`)
  return found
}

const tokenSpan = 'POST /v1/:tenantKey/oauth/token'

describe('the spans of a refresh', () => {
  it('are that of the server, with those of the store calls in it', async () => {
    const host = await started()
    const { refresh_token } = await host.connected()
    const heard = Heard.start()
    const telemetry = await OpenTelemetry.start()
    await host.refresh(refresh_token)
    await heard.of('request')
    const server = named(telemetry.spans, tokenSpan)
    expect(server.kind).toBe(SpanKind.SERVER)
    expect(server.parentSpanContext).toBeUndefined()
    expect(server.status.code).toBe(SpanStatusCode.UNSET)
    expect(server.attributes).toEqual({
      'http.request.method': 'POST',
      'http.route': '/v1/:tenantKey/oauth/token',
      'http.response.status_code': 200,
      'url.path': '/v1/acme/oauth/token',
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(host.url).port),
      'customer_sign_in.endpoint': 'token',
      'customer_sign_in.outcome': 'answered',
      'customer_sign_in.tenant.key': 'acme',
      'customer_sign_in.client.id': clientId,
    })
    expect(server.events).toMatchObject([
      { name: 'customer_sign_in.refreshed', attributes: { 'customer_sign_in.client.id': clientId } },
    ])
    const swap = named(telemetry.spans, 'tokenStore.swapCredential')
    expect(swap.status.code).toBe(SpanStatusCode.UNSET)
    expect(swap.attributes).toEqual({
      'db.system.name': 'MemoryTokenStore',
      'db.operation.name': 'swapCredential',
      'customer_sign_in.store': 'tokenStore',
      'customer_sign_in.store.outcome': 'swapped',
    })
    for (const { parentSpanContext } of [swap, named(telemetry.spans, 'tenantStore.findTenant')])
      expect(parentSpanContext?.spanId).toBe(server.spanContext().spanId)
  })

  it('say why a request was denied, which is no error of the server', async () => {
    const host = await started()
    const heard = Heard.start()
    const telemetry = await OpenTelemetry.start()
    await host.refresh('csir_x')
    await heard.of('request')
    const span = named(telemetry.spans, tokenSpan)
    expect(span.status.code).toBe(SpanStatusCode.UNSET)
    expect(span.attributes).toMatchObject({
      'http.response.status_code': 400,
      'customer_sign_in.outcome': 'denied',
      'customer_sign_in.error': 'invalid_grant',
      'customer_sign_in.reason': 'malformed_credential',
    })
    expect(span.attributes).not.toHaveProperty('error.type')
    expect(span.events).toEqual([])
  })

  it('are errors if the store fails, without what the store says', async () => {
    const { store, always } = faultyStore()
    const host = await started({ tokenStore: store })
    const { refresh_token } = await host.connected()
    always('swapCredential', rejects)
    const heard = Heard.start()
    const telemetry = await OpenTelemetry.start()
    await host.refresh(refresh_token).expect(503)
    await heard.of('request')
    for (const [name, type] of [
      [tokenSpan, 'temporarily_unavailable'],
      ['tenantStore.findTenant', undefined],
    ]) {
      const { attributes } = named(telemetry.spans, name as string)
      expect([name, attributes['error.type']]).toEqual([name, type])
    }
    const failed = telemetry.spans.filter(({ name }) => name === 'tokenStore.swapCredential')
    for (const { status, attributes } of failed) {
      expect(status).toEqual({ code: SpanStatusCode.ERROR })
      expect(attributes).toMatchObject({ 'error.type': 'Error' })
    }
    expect(failed.length).toBeGreaterThan(0)
    expect(named(telemetry.spans, tokenSpan).status.code).toBe(SpanStatusCode.ERROR)
  })

  it('show a replay', async () => {
    const host = await started({ replayTolerance: 0 })
    const { refresh_token } = await host.connected()
    await host.refresh(refresh_token)
    const heard = Heard.start()
    const telemetry = await OpenTelemetry.start()
    await host.refresh(refresh_token)
    await heard.of('request')
    expect(named(telemetry.spans, tokenSpan).events).toMatchObject([
      {
        name: 'customer_sign_in.replayed',
        attributes: { 'customer_sign_in.replay.credential': 'refresh_token', 'customer_sign_in.replay.ended': true },
      },
    ])
  })
})

describe('the span of a request', () => {
  const withInstrumentation = async (sampler = new AlwaysOnSampler()) => {
    const telemetry = await OpenTelemetry.start({}, sampler)
    const tenantStore = storeOf(() => onDomains)
    const host = await started({ tenantStore })
    const heard = Heard.start()
    const seen: RPCMetadata[] = []
    // What @opentelemetry/instrumentation-http does around each request.
    host.inContext = (_req, handle) => {
      const span = telemetry.tracer.startSpan('POST', { kind: SpanKind.SERVER }, ROOT_CONTEXT)
      const metadata: RPCMetadata = { type: RPCType.HTTP, span }
      seen.push(metadata)
      context.with(setRPCMetadata(trace.setSpan(ROOT_CONTEXT, span), metadata), handle)
      span.end()
    }
    return { telemetry, host, heard, seen }
  }

  it("is a child of that of the host's HTTP instrumentation, which gets the route", async () => {
    const { telemetry, host, heard, seen } = await withInstrumentation()
    await host.refresh('csir_x', {}, 'globex')
    await heard.of('request')
    const span = named(telemetry.spans, tokenSpan)
    expect(span.kind).toBe(SpanKind.INTERNAL)
    expect(span.parentSpanContext?.spanId).toBe(named(telemetry.spans, 'POST').spanContext().spanId)
    expect(seen).toMatchObject([{ route: '/v1/:tenantKey/oauth/token' }])
  })

  it('leaves the route to the host where the request is passed on', async () => {
    const { host, heard, seen } = await withInstrumentation()
    await request(host.url).get('/oauth/jwks').set('Host', 'elsewhere.example').expect(404)
    await heard.of('request')
    await request(host.url).get('/oauth/jwks').set('Host', acmeHost).expect(200)
    await heard.of('request', 2)
    expect(seen.map(({ route }) => route)).toEqual([undefined, '/oauth/jwks'])
  })

  it('is not made within a request that is not recorded', async () => {
    const { telemetry, host, heard } = await withInstrumentation(new AlwaysOffSampler())
    await host.refresh('csir_x', {}, 'globex')
    await heard.of('request')
    expect(telemetry.spans).toEqual([])
    expect(await telemetry.metrics('customer_sign_in_requests_total')).toHaveLength(1)
  })

  it('is that of the server below a span of another process', async () => {
    const host = await started()
    const heard = Heard.start()
    const telemetry = await OpenTelemetry.start()
    const remote = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: TraceFlags.SAMPLED, isRemote: true }
    host.inContext = (_req, handle) => context.with(trace.setSpanContext(ROOT_CONTEXT, remote), handle)
    await host.refresh('csir_x')
    await heard.of('request')
    const span = named(telemetry.spans, tokenSpan)
    expect(span.kind).toBe(SpanKind.SERVER)
    expect(span.parentSpanContext?.spanId).toBe(remote.spanId)
  })

  it('is active in onEvent, so that a log can have its trace id', async () => {
    const telemetry = await OpenTelemetry.start()
    const ids: unknown[] = []
    const host = await started({ onEvent: () => ids.push(trace.getActiveSpan()?.spanContext().spanId) })
    const heard = Heard.start()
    await host.refresh('csir_x')
    await heard.of('request')
    expect(ids).toEqual([named(telemetry.spans, tokenSpan).spanContext().spanId])
  })

  it('does not take the method of a stranger into its name', async () => {
    const telemetry = await OpenTelemetry.start()
    const host = await started()
    const heard = Heard.start()
    await request(host.url).purge('/v1/acme/oauth/jwks').expect(405)
    await heard.of('request')
    expect(named(telemetry.spans, 'HTTP /v1/:tenantKey/oauth/jwks').attributes).toMatchObject({
      'http.request.method': '_OTHER',
    })
  })

  it('does not name a tenant that does not exist', async () => {
    const telemetry = await OpenTelemetry.start()
    const host = await started()
    const heard = Heard.start()
    await request(host.url).get('/v1/no-such-company/oauth/jwks').expect(404)
    await heard.of('request')
    expect(named(telemetry.spans, 'GET /v1/:tenantKey/oauth/jwks').attributes).not.toHaveProperty([
      'customer_sign_in.tenant.key',
    ])
  })
})

describe('the span of a guard', () => {
  it("ends before the host's own handler begins", async () => {
    const host = await ApiHost.start()
    const telemetry = await OpenTelemetry.start()
    const token = await host.token()
    const active: unknown[] = []
    host.app.get('/me', host.signIn.requireAccessToken({ tenantKey: 'acme' }), (_req, res) => {
      active.push(
        trace.getActiveSpan(),
        telemetry.spans.some(({ name }) => name === 'customer-sign-in requireAccessToken'),
      )
      res.end()
    })
    await request(host.baseUrl).get('/me').set('Authorization', `Bearer ${token}`).expect(200)
    expect(active).toEqual([undefined, true])
    expect(named(telemetry.spans, 'customer-sign-in requireAccessToken').attributes).toEqual({
      'customer_sign_in.guard': 'requireAccessToken',
      'customer_sign_in.outcome': 'passed',
      'customer_sign_in.tenant.key': 'acme',
      'customer_sign_in.client.id': clientId,
    })
  })
})

describe('the span of a fetch', () => {
  it('is that of a client, and no id of the trace goes to the other server', async () => {
    const telemetry = await OpenTelemetry.start()
    const server = await DocumentServer.start()
    const host = await started({ authenticate: asTheySay, clients: { documents: 'with-loopback' } })
    await new Authorization(host, { client_id: server.url() }).open().expect(200)
    const span = named(telemetry.spans, 'GET')
    expect(span.kind).toBe(SpanKind.CLIENT)
    expect(span.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'url.full': server.url(),
      'url.scheme': 'http',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(server.url()).port),
    })
    expect(server.requests[0]?.headers).not.toHaveProperty('traceparent')
  })

  it.each([
    [404, '404'],
    [304, undefined],
  ])('is an error for the status %s: %s', async (status, type) => {
    const telemetry = await OpenTelemetry.start()
    const suppressed: boolean[] = []
    const host = await started({
      authenticate: asTheySay,
      clients: {
        fetch: async () => {
          suppressed.push(isTracingSuppressed(context.active()))
          return new Response(null, { status })
        },
      },
    })
    await new Authorization(host, { client_id: 'https://assistant.example/client.json' }).open()
    const { attributes } = named(telemetry.spans, 'GET')
    expect(attributes).toMatchObject({ 'server.port': 443, 'url.scheme': 'https' })
    expect(attributes['error.type']).toBe(type)
    expect(suppressed).toEqual([false])
  })

  it('keeps an HTTP instrumentation from sending the id of the trace to a stranger', async () => {
    await OpenTelemetry.start()
    const suppressed: boolean[] = []
    const lookUp = async () => {
      suppressed.push(isTracingSuppressed(context.active()))
      return []
    }
    await expect(
      guardedFetch(new URL('https://nowhere.example/x'), { allowLoopback: false, ports: [443], lookUp }),
    ).rejects.toThrow('has no address')
    expect(suppressed).toEqual([true])
  })
})

describe('the span of a store call', () => {
  it.each([
    [RedisTokenStore, 'redis'],
    [PostgresTokenStore, 'postgresql'],
  ])('is that of a client of the database: %p', async (Store, system) => {
    const telemetry = await OpenTelemetry.start()
    const tokenStore = Object.assign(Object.create(Store.prototype), { listGrants: async () => ({ grants: [] }) })
    const host = await started({ tokenStore })
    await host.signIn.grants.list({ tenantKey: 'acme', subject: 'ada' })
    const span = named(telemetry.spans, 'tokenStore.listGrants')
    expect([span.kind, span.attributes['db.system.name']]).toEqual([SpanKind.CLIENT, system])
  })
})

describe('instrument', () => {
  it('stops', async () => {
    const host = await started()
    const telemetry = await OpenTelemetry.start()
    telemetry.stopInstrumentation()
    await host.connected()
    expect(telemetry.spans).toEqual([])
    expect(await telemetry.metrics('customer_sign_in_requests_total')).toEqual([])
  })
})
