import { subscribe, tracingChannel } from 'node:diagnostics_channel'
import { context, type TracerProvider } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import { instrument } from 'customer-sign-in/opentelemetry'
import type { Listening } from '../telemetry/measure'
import { customerSignIn } from './customer-sign-in'
import { serve } from './serving'

const listen: Record<Listening, () => void> = {
  nobody: () => {},
  'nobody, again': () => {},
  'a subscriber of every channel': subscribeToAll,
  metrics: () => withMetrics(),
  'metrics, one request of 100 traced': () => withTraces(0.01),
  'metrics, every request traced': () => withTraces(1),
}

function subscribeToAll(): void {
  const ignore = () => {}
  const subscribers = { start: ignore, end: ignore, asyncStart: ignore, asyncEnd: ignore, error: ignore }
  for (const name of ['request', 'guard', 'store', 'fetch']) {
    tracingChannel(`customer-sign-in:${name}`).subscribe(subscribers)
  }
  for (const name of ['event', 'documents']) subscribe(`customer-sign-in:${name}`, ignore)
}

function withMetrics(tracerProvider?: TracerProvider): void {
  const meterProvider = new MeterProvider({ readers: [new PrometheusExporter({ preventServerStart: true })] })
  instrument({ meterProvider, tracerProvider })
}

function withTraces(share: number): void {
  // What a host with OpenTelemetry has anyway.
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  const exporter: SpanExporter = { export: (_spans, done) => done({ code: 0 }), shutdown: async () => {} }
  const sampler = new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) })
  withMetrics(new BasicTracerProvider({ sampler, spanProcessors: [new BatchSpanProcessor(exporter)] }))
}

const [listening = '', databasePort] = process.argv.slice(2)
listen[listening as Listening]()
void serve(customerSignIn('node:http', 'Redis'), Number(databasePort))
