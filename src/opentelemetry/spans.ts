import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import type { CustomerSignInEvent } from '../contract/customer-sign-in-event'
import { isUrl } from '../protocol/resource'
import { fetches, guardedRequests, listen, requests, storeCalls, type TracedChannel } from '../telemetry/channels'
import type { FetchMessage, GuardMessage, RequestMessage, StoreMessage, TimedMessage } from '../telemetry/messages'
import { common, own } from './attributes'

interface SpanOf {
  name: string
  kind: SpanKind
  attributes: Attributes
  /** The context of what happens in it, before the span is set. Default: that of its parent. */
  within?: Context
}

// OpenTelemetry's own packages share these keys, by name.
const rpcMetadata = createContextKey('OpenTelemetry SDK Context Key RPC_METADATA')
const suppressTracing = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING')

// Of the semantic conventions. Any other is a name that a stranger has made up.
const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH']

const databases: Record<string, string> = { RedisTokenStore: 'redis', PostgresTokenStore: 'postgresql' }

/**
 * Makes a span of each request, store call and fetch. Each is a child of the span that is active where it begins, and is itself active for
 * whatever happens in it, such as the host's hooks and the spans of a database client.
 *
 * @returns Ends that.
 */
export function makeSpans(tracer: Tracer): () => void {
  const ends = [
    listen('customer-sign-in:event', addEvent),
    ...spansOf(tracer, requests, beginningOfRequest, setEnd),
    requests.subscribe({
      start: ({ route }) => setRoute(route),
      asyncEnd: ({ outcome }) => outcome === 'passed' && setRoute(undefined),
    }),
    ...spansOf(tracer, guardedRequests, beginningOfGuard, setEnd),
    ...spansOf(tracer, storeCalls, beginningOfStoreCall, endOfStoreCall),
    ...spansOf(tracer, fetches, beginningOfFetch, endOfFetch),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function spansOf<Message extends TimedMessage>(
  tracer: Tracer,
  channel: TracedChannel<Message>,
  beginning: (message: Message, parent: Context) => SpanOf,
  end: (message: Message, span: Span) => void,
): (() => void)[] {
  const spans = new WeakMap<Message, Span>()
  return [
    channel.surround((message, work) => {
      const parent = context.active()
      // Whoever has begun the trace has decided that it is not recorded.
      if (localSpan(parent)?.isRecording() === false) return work()
      const { name, kind, attributes, within = parent } = beginning(message, parent)
      const span = tracer.startSpan(name, { kind, attributes }, parent)
      spans.set(message, span)
      return context.with(trace.setSpan(within, span), work)
    }),
    channel.subscribe({
      asyncEnd: (message) => {
        const span = spans.get(message)
        if (!span?.isRecording()) return
        end(message, span)
        span.end()
      },
    }),
  ]
}

/** The active span, if it was begun in this process. */
function localSpan(of: Context): Span | undefined {
  const span = trace.getSpan(of)
  return span?.spanContext().isRemote ? undefined : span
}

/** It is the server's span of the request, unless an instrumentation of the HTTP server has made that. */
function beginningOfRequest({ method, route, path, baseUrl, endpoint }: RequestMessage, parent: Context): SpanOf {
  const isKnown = knownMethods.includes(method)
  return {
    name: `${isKnown ? method : 'HTTP'} ${route}`,
    kind: localSpan(parent) ? SpanKind.INTERNAL : SpanKind.SERVER,
    attributes: {
      [common.method]: isKnown ? method : '_OTHER',
      [common.route]: route,
      [common.path]: path,
      ...addressOf(baseUrl),
      [own.endpoint]: endpoint,
    },
  }
}

function beginningOfGuard({ guard }: GuardMessage): SpanOf {
  return { name: `customer-sign-in ${guard}`, kind: SpanKind.INTERNAL, attributes: { [own.guard]: guard } }
}

/** What the channels say of a request at its end. A refusal is no error of this server (semantic conventions, HTTP spans). */
function setEnd(message: RequestMessage | GuardMessage, span: Span): void {
  const { outcome, status, error, reason, tenantKey, tenantId, clientId } = message
  span.setAttributes({
    [own.outcome]: outcome,
    [common.status]: status,
    [own.tenantKey]: tenantId === undefined ? undefined : tenantKey,
    [own.clientId]: clientId,
    [own.error]: error,
    [own.reason]: reason,
  })
  if (outcome === 'failed') setError(span, error)
}

function beginningOfStoreCall({ store, method, system }: StoreMessage): SpanOf {
  const database = Object.hasOwn(databases, system) ? databases[system] : undefined
  return {
    name: `${store}.${method}`,
    kind: database === undefined ? SpanKind.INTERNAL : SpanKind.CLIENT,
    attributes: { [own.store]: store, [common.system]: database ?? system, [common.operation]: method },
  }
}

function endOfStoreCall({ outcome, error }: StoreMessage, span: Span): void {
  if (outcome !== undefined) span.setAttribute(own.storeOutcome, outcome)
  if (error !== undefined) setError(span, error)
}

function beginningOfFetch({ url, byHost }: FetchMessage, parent: Context): SpanOf {
  return {
    name: 'GET',
    kind: SpanKind.CLIENT,
    attributes: { [common.method]: 'GET', [common.url]: url, ...addressOf(url) },
    // An instrumentation of the HTTP client would send the id of the trace to a stranger's server.
    within: byHost ? parent : parent.setValue(suppressTracing, true),
  }
}

function endOfFetch({ status, error }: FetchMessage, span: Span): void {
  if (status !== undefined) span.setAttribute(common.status, status)
  if (error !== undefined) setError(span, error)
  // Of a client, 4xx and 5xx are errors.
  else if (status !== undefined && status >= 400) setError(span, String(status))
}

function setError(span: Span, type: string | undefined): void {
  if (type !== undefined) span.setAttribute(common.errorType, type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}

/** Adds an event to the span in which it happens, without the customer. */
function addEvent(event: CustomerSignInEvent): void {
  const span = trace.getActiveSpan()
  // Their spans say all that these do.
  if (!span?.isRecording() || event.type === 'denied' || event.type === 'error') return
  const replay = event.type === 'replayed' && { [own.credential]: event.credential, [own.ended]: event.ended }
  span.addEvent(`customer_sign_in.${event.type}`, { [own.clientId]: event.clientId, ...replay })
}

/** Gives the route to the instrumentation of the HTTP server, for the name of its span and for its metrics. */
function setRoute(route: string | undefined): void {
  const metadata = context.active().getValue(rpcMetadata) as { type?: unknown; route?: string | undefined } | undefined
  if (metadata?.type === 'http') metadata.route = route
}

let lastAddress: { of: string; attributes: Attributes } | undefined

/** The address of a URL. The last one is remembered: requests mostly have the same. */
function addressOf(url: string): Attributes {
  if (lastAddress?.of === url) return lastAddress.attributes
  if (!isUrl(url)) return {}
  const { protocol, hostname, port } = new URL(url)
  const scheme = protocol.replace(':', '')
  const portInUse = Number(port) || (scheme === 'http' ? 80 : 443)
  const attributes = { [common.scheme]: scheme, [common.host]: hostname, [common.port]: portInUse }
  lastAddress = { of: url, attributes }
  return attributes
}
