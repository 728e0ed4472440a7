import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { context, type Tracer } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  type Sampler,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { type InstrumentOptions, instrument } from 'customer-sign-in/opentelemetry'

const running: OpenTelemetry[] = []

afterEach(() => Promise.all(running.splice(0).map((each) => each.stop())))

/** OpenTelemetry with this library's instrumentation, spans in memory and a real exporter for Prometheus; stopped after the test. */
export class OpenTelemetry {
  /** For spans of the test's own. */
  readonly tracer: Tracer
  readonly stopInstrumentation: () => void
  readonly #spans = new InMemorySpanExporter()
  readonly #server: Server

  private constructor(server: Server, options: InstrumentOptions, sampler: Sampler | undefined) {
    this.#server = server
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    const spanProcessors = [new SimpleSpanProcessor(this.#spans)]
    const tracerProvider = new BasicTracerProvider({ spanProcessors, ...(sampler && { sampler }) })
    const exporter = new PrometheusExporter({ preventServerStart: true })
    server.on('request', (req, res) => exporter.getMetricsRequestHandler(req, res))
    const meterProvider = new MeterProvider({ readers: [exporter] })
    this.tracer = tracerProvider.getTracer('the test')
    this.stopInstrumentation = instrument({ tracerProvider, meterProvider, ...options })
  }

  static async start(options: InstrumentOptions = {}, sampler?: Sampler): Promise<OpenTelemetry> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const started = new OpenTelemetry(server, options, sampler)
    running.push(started)
    return started
  }

  get spans(): ReadableSpan[] {
    return this.#spans.getFinishedSpans()
  }

  /** What Prometheus would read: the lines of these metrics, without what OpenTelemetry adds to each. */
  async metrics(name = 'customer_sign_in'): Promise<string[]> {
    const text = await (await fetch(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/metrics`)).text()
    return text
      .split('\n')
      .filter((line) => line.startsWith(name))
      .map((line) => line.replace(/,?otel_scope_\w+="[^"]*"/g, '').replace('{,', '{'))
  }

  async stop(): Promise<void> {
    this.stopInstrumentation()
    context.disable()
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
