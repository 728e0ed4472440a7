import type { Attributes, Meter, MetricOptions, ObservableResult } from '@opentelemetry/api'
import type { CustomerSignInEvent } from '../contract/customer-sign-in-event'
import { faultReasons } from '../protocol/reasons'
import { fetches, guardedRequests, listen, requests, storeCalls } from '../telemetry/channels'
import type { DocumentsMessage, GuardMessage, RequestMessage } from '../telemetry/messages'
import { common, own } from './attributes'

/** Gives the value of a tenant's label, or undefined for none. */
export type TenantLabel = (tenantKey: string) => string | undefined

// Seconds. Those of the semantic conventions for HTTP, and smaller ones for stores.
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

const ofEnd = [own.outcome, own.error, own.reason, own.tenantKey]

/**
 * Records what happens as metrics.
 *
 * Nothing that a stranger sends becomes a value of a label: methods, paths, client ids, addresses and statuses of other servers do not.
 *
 * @returns Ends that.
 */
export function recordMetrics(meter: Meter, tenantLabel: TenantLabel | undefined): () => void {
  const durationOf = (name: string, description: string) =>
    meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: buckets } })
  const requestCount = tally(meter, 'customer_sign_in.requests', [own.endpoint, ...ofEnd], {
    description: 'Requests to the endpoints, by how they ended',
    unit: '{request}',
  })
  const requestDuration = durationOf('customer_sign_in.request.duration', 'How long requests to the endpoints take')
  const guardCount = tally(meter, 'customer_sign_in.guard.requests', [own.guard, ...ofEnd], {
    description: "Requests to the host's APIs that a guard has judged, by how it has",
    unit: '{request}',
  })
  const guardDuration = durationOf('customer_sign_in.guard.duration', 'How long a guard takes to judge a request')
  const storeDuration = durationOf('customer_sign_in.store.duration', 'How long calls of the stores take')
  const fetchDuration = durationOf('customer_sign_in.fetch.duration', "How long fetches from clients' servers take")
  const eventCount = tally(meter, 'customer_sign_in.events', [own.eventType, own.reason], {
    description: 'Events',
    unit: '{event}',
  })
  const replayCount = tally(meter, 'customer_sign_in.replays', [own.credential, own.ended], {
    description: 'Used codes and refresh tokens that were presented again, other than as a retry',
    unit: '{replay}',
  })
  const documentCount = meter.createUpDownCounter('customer_sign_in.documents.kept', {
    description: 'Metadata documents in memory',
    unit: '{document}',
  })
  // So that the first one is an increase.
  for (const reason of faultReasons) eventCount.add(['error', reason], 0)
  for (const credential of ['code', 'refresh_token'])
    for (const ended of ['true', 'false']) replayCount.add([credential, ended], 0)

  const endOf = ({ outcome, error, reason, tenantKey, tenantId }: RequestMessage | GuardMessage) => {
    let label: string | undefined
    try {
      if (tenantId !== undefined && tenantKey !== undefined) label = tenantLabel?.(tenantKey)
    } catch {
      // A function of the host's that throws must not end the process, as an error in a subscriber does.
    }
    return [outcome, error, reason, label]
  }
  const ends = [
    listen<DocumentsMessage>('customer-sign-in:documents', ({ change }) => documentCount.add(change)),
    listen<CustomerSignInEvent>('customer-sign-in:event', (event) => {
      eventCount.add([event.type, 'reason' in event ? event.reason : undefined])
      if (event.type === 'replayed') replayCount.add([event.credential, String(event.ended)])
    }),
    requests.subscribe({
      asyncEnd: (message) => {
        const { endpoint, outcome, duration } = message
        requestCount.add([endpoint, ...endOf(message)])
        requestDuration.record(seconds(duration), { [own.endpoint]: endpoint, [own.outcome]: outcome })
      },
    }),
    guardedRequests.subscribe({
      asyncEnd: (message) => {
        const { guard, outcome, duration } = message
        guardCount.add([guard, ...endOf(message)])
        guardDuration.record(seconds(duration), { [own.guard]: guard, [own.outcome]: outcome })
      },
    }),
    storeCalls.subscribe({
      asyncEnd: ({ store, method, system, error, duration }) =>
        storeDuration.record(seconds(duration), {
          [own.store]: store,
          [common.system]: system,
          [common.operation]: method,
          ...errorType(error),
        }),
    }),
    fetches.subscribe({
      asyncEnd: ({ status, error, duration }) =>
        fetchDuration.record(seconds(duration), errorType(error ?? (status === 200 ? undefined : 'status'))),
    }),
    ...[requestCount, guardCount, eventCount, replayCount].map(({ stop }) => stop),
  ]
  return () => {
    for (const end of ends) end()
  }
}

function seconds(milliseconds = 0): number {
  return milliseconds / 1000
}

const errorTypes: Record<string, string> = {
  ETIMEDOUT: 'timeout',
  ForbiddenFetch: 'forbidden',
  UnusableLookup: 'forbidden',
  status: 'status',
}

/** One of four kinds: other servers choose some of the codes. */
function errorType(error: string | undefined): Attributes {
  if (error === undefined) return {}
  return { [common.errorType]: Object.hasOwn(errorTypes, error) ? errorTypes[error] : 'failed' }
}

/** A counter that costs little to add to: OpenTelemetry asks for the counts only when it exports them. */
function tally(meter: Meter, name: string, labels: readonly string[], options: MetricOptions) {
  const counter = meter.createObservableCounter(name, options)
  const counts = new Map<string, { attributes: Attributes; count: number }>()
  const observe = (result: ObservableResult) => {
    for (const { count, attributes } of counts.values()) result.observe(count, attributes)
  }
  counter.addCallback(observe)
  // The values are in the order of the labels. Undefined stands for none.
  const add = (values: readonly (string | undefined)[], count = 1) => {
    const key = values.join('\n')
    const known = counts.get(key)
    if (known) known.count += count
    else counts.set(key, { attributes: attributesOf(labels, values), count })
  }
  return { add, stop: () => counter.removeCallback(observe) }
}

function attributesOf(labels: readonly string[], values: readonly (string | undefined)[]): Attributes {
  const pairs = labels.map((label, place) => [label, values[place]] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
}
