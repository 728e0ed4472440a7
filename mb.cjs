const { requests, storeCalls } = require('./dist/telemetry/channels.js')
const dc = require('node:diagnostics_channel')
const { instrument } = require('./dist/opentelemetry/index.js')
const api = require('@opentelemetry/api')
const { MeterProvider } = require('@opentelemetry/sdk-metrics')
const { PrometheusExporter } = require('@opentelemetry/exporter-prometheus')
const {
  BasicTracerProvider,
  BatchSpanProcessor,
  TraceIdRatioBasedSampler,
  ParentBasedSampler,
} = require('@opentelemetry/sdk-trace-base')
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks')
const ev = dc.channel('customer-sign-in:event')
const tick = () => new Promise(setImmediate)
async function one() {
  const message = {
    endpoint: 'token',
    method: 'POST',
    route: '/v1/:tenantKey/oauth/token',
    path: '/v1/acme/oauth/token',
    baseUrl: 'https://x.example',
    tenantKey: 'acme',
  }
  await requests.trace(message, async () => {
    await (storeCalls.isOn
      ? storeCalls.trace({ store: 'tenantStore', method: 'findTenant', system: 'X' }, async () => 1)
      : (async () => 1)())
    message.tenantId = 'acme'
    message.clientId = 'c'
    await (storeCalls.isOn
      ? storeCalls.trace({ store: 'tokenStore', method: 'swapCredential', system: 'RedisTokenStore' }, async () => 1)
      : (async () => 1)())
    ev.publish({ type: 'refreshed', clientId: 'c', at: 1 })
    message.outcome = 'answered'
    message.status = 200
    return true
  })
}
async function run(label) {
  const n = 60000
  for (let i = 0; i < n; i++) await one()
  let best = Infinity
  for (let r = 0; r < 5; r++) {
    const b = process.cpuUsage()
    for (let i = 0; i < n; i++) {
      await one()
      if (i % 200 === 0) await tick()
    }
    const u = process.cpuUsage(b)
    best = Math.min(best, (u.user + u.system) / n)
  }
  console.log(label.padEnd(40), best.toFixed(2), 'us')
}
;(async () => {
  console.log(process.version)
  await run('off')
  const noop = () => {}
  const subs = { start: noop, end: noop, asyncStart: noop, asyncEnd: noop, error: noop }
  for (const c of ['request', 'store']) dc.tracingChannel('customer-sign-in:' + c).subscribe(subs)
  ev.subscribe(noop)
  await run('channels subscribed')
  for (const c of ['request', 'store']) dc.tracingChannel('customer-sign-in:' + c).unsubscribe(subs)
  ev.unsubscribe(noop)
  const meterProvider = new MeterProvider({ readers: [new PrometheusExporter({ preventServerStart: true })] })
  const none = new api.ProxyTracerProvider()
  let stop = instrument({ meterProvider, tracerProvider: none })
  await run('metrics, no tracing')
  stop()
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  stop = instrument({ meterProvider, tracerProvider: none })
  await run('metrics, context manager')
  stop()
  const prov = (ratio) =>
    new BasicTracerProvider({
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
      spanProcessors: [
        new BatchSpanProcessor({
          export: (s, d) => d({ code: 0 }),
          shutdown: async () => {},
          forceFlush: async () => {},
        }),
      ],
    })
  for (const ratio of [0.01, 1]) {
    stop = instrument({ meterProvider, tracerProvider: prov(ratio) })
    await run('metrics + spans sampled ' + ratio)
    stop()
  }
  process.exit()
})()
