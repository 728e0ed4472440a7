const api = require('@opentelemetry/api')
const { MeterProvider } = require('@opentelemetry/sdk-metrics')
const { PrometheusExporter } = require('@opentelemetry/exporter-prometheus')
const { AsyncLocalStorageContextManager } = require('@opentelemetry/context-async-hooks')
api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
const p = new MeterProvider({ readers: [new PrometheusExporter({ preventServerStart: true })] })
const m = p.getMeter('x')
const h = m.createHistogram('h', {
  unit: 's',
  advice: {
    explicitBucketBoundaries: [
      0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ],
  },
})
const c = m.createCounter('c')
function t(label, f) {
  const n = 300000
  for (let i = 0; i < n; i++) f()
  let best = 1e9
  for (let r = 0; r < 5; r++) {
    const b = process.hrtime.bigint()
    for (let i = 0; i < n; i++) f()
    best = Math.min(best, Number(process.hrtime.bigint() - b) / n)
  }
  console.log(label.padEnd(40), best.toFixed(0), 'ns')
}
console.log(process.version)
t('hist 0 attr', () => h.record(0.0031))
t('hist 2 attr', () => h.record(0.0031, { 'a.b.c': 'token', 'a.b.d': 'answered' }))
t('hist 2 attr root', () => h.record(0.0031, { 'a.b.c': 'token', 'a.b.d': 'answered' }, api.ROOT_CONTEXT))
t('hist 3 attr', () => h.record(0.0031, { 'a.b.c': 'token', 'a.b.d': 'answered', 'db.system': 'redis' }))
t('counter 2 attr', () => c.add(1, { 'a.b.c': 'token', 'a.b.d': 'answered' }))
