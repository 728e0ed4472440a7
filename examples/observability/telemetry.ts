import { createServer, type Server } from 'node:http'
import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { instrument } from 'customer-sign-in/opentelemetry'

/** OpenTelemetry, with a page that Prometheus reads. Spans stay in memory: the example prints one trace of them. */
export interface Telemetry {
  metricsPage: Server
  spans: InMemorySpanExporter
  stop(): void
}

/** Sets OpenTelemetry up. In a host this comes first, before anything that it instruments is imported. */
export function startTelemetry(): Telemetry {
  const spans = new InMemorySpanExporter()
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const metricsPage = createServer((req, res) => exporter.getMetricsRequestHandler(req, res))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const stop = instrument({
    meterProvider: new MeterProvider({ readers: [exporter] }),
    tracerProvider: new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
    tenantLabel: (tenantKey) => tenantKey,
  })
  return { metricsPage, spans, stop }
}
