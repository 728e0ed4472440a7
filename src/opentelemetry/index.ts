import { type MeterProvider, metrics, ProxyTracerProvider, type TracerProvider, trace } from '@opentelemetry/api'
import { func, objectWith, optional, record } from '../configuration/checks'
import { recordMetrics, type TenantLabel } from './metrics'
import { makeSpans } from './spans'

export type { MeterProvider, TracerProvider } from '@opentelemetry/api'

/** The options of {@link instrument}. */
export interface InstrumentOptions {
  /** Makes the spans. Default: the global one of `@opentelemetry/api`, as it is when you call `instrument`. Without either, there are none. */
  tracerProvider?: TracerProvider | undefined
  /** Makes the metrics. Default: the global one of `@opentelemetry/api`, as it is when you call `instrument`. */
  meterProvider?: MeterProvider | undefined
  /**
   * Gives a company a label in the metrics of requests, such as its key, or undefined for none. It is called only for companies that exist.
   * Each label multiplies the number of time series. Default: no label.
   *
   * @example
   * (tenantKey) => (largest.has(tenantKey) ? tenantKey : 'other')
   */
  tenantLabel?: ((tenantKey: string) => string | undefined) | undefined
}

const checkedOptions = record({
  tracerProvider: optional(objectWith<TracerProvider>('getTracer')),
  meterProvider: optional(objectWith<MeterProvider>('getMeter')),
  tenantLabel: optional(func<TenantLabel>()),
})

// This package's own package.json, next to `src` and `dist`.
const { name, version }: { name: string; version: string } = require('../../package.json')

/**
 * Makes spans and metrics of OpenTelemetry from the channels of this library (docs/observability.md), for every `createCustomerSignIn` of the
 * process. Call it once, after OpenTelemetry has been set up and before `createCustomerSignIn`.
 *
 * @returns A function that ends this: after it, there are no more spans and metrics.
 * @throws {ConfigurationError} for an option that is unknown or wrong.
 *
 * @example
 * import { instrument } from 'customer-sign-in/opentelemetry'
 *
 * const stop = instrument()
 */
export function instrument(options: InstrumentOptions = {}): () => void {
  const { tracerProvider, meterProvider, tenantLabel } = checkedOptions(options, 'instrument')
  const tracers = tracerProvider ?? (isTracing() ? trace : undefined)
  const stopSpans = tracers && makeSpans(tracers.getTracer(name, version))
  const stopMetrics = recordMetrics((meterProvider ?? metrics).getMeter(name, version), tenantLabel)
  return () => {
    stopSpans?.()
    stopMetrics()
  }
}

/** Whether the host has set a global tracer provider. Spans that nobody records would still cost time. */
function isTracing(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(name) !== undefined
}
