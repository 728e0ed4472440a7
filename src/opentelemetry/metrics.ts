import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Attributes, Meter, MetricOptions, ObservableResult } from '@opentelemetry/api'
import type { CustomerSignInEvent } from '../contract/customer-sign-in-event'
import { faultReasons } from '../protocol/reasons'
import { fetches, guardedRequests, requests, storeCalls } from '../telemetry/channels'
import type { DocumentsMessage, GuardMessage, RequestMessage } from '../telemetry/messages'
import { common, own } from './attributes'

/** Gives the value of a tenant's label, or undefined for none. */
export type TenantLabel = (tenantKey: string) => string | undefined

// Seconds. Those of the semantic conventions for HTTP, and smaller ones for stores.
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

const ofEnd = [own.outcome, own.error, own.reason, own.tenantKey]
const ofRequest = [own.endpoint, ...ofEnd]
const ofGuard = [own.guard, ...ofEnd]
const ofEvent = [own.eventType, own.reason]
const ofReplay = [own.credential, own.ended]

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
  const requestCount = new Tally(meter, 'customer_sign_in.requests', {
    description: 'Requests to the endpoints, by how they ended',
    unit: '{request}',
  })
  const requestDuration = durationOf('customer_sign_in.request.duration', 'How long requests to the endpoints take')
  const guardCount = new Tally(meter, 'customer_sign_in.guard.requests', {
    description: "Requests to the host's APIs that a guard has judged, by how it has",
    unit: '{request}',
  })
  const guardDuration = durationOf('customer_sign_in.guard.duration', 'How long a guard takes to judge a request')
  const storeDuration = durationOf('customer_sign_in.store.duration', 'How long calls of the stores take')
  const fetchDuration = durationOf('customer_sign_in.fetch.duration', "How long fetches from clients' servers take")
  const eventCount = new Tally(meter, 'customer_sign_in.events', { description: 'Events', unit: '{event}' })
  const replayCount = new Tally(meter, 'customer_sign_in.replays', {
    description: 'Used codes and refresh tokens that were presented again, other than as a retry',
    unit: '{replay}',
  })
  const documentCount = meter.createUpDownCounter('customer_sign_in.documents.kept', {
    description: 'Metadata documents in memory',
    unit: '{document}',
  })

  /** A function of the host's that throws must not end the process, as an error in a subscriber does. */
  const labelOf = (tenantKey: string) => {
    try {
      return tenantLabel?.(tenantKey)
    } catch {
      return undefined
    }
  }
  // So that the first one is an increase.
  for (const reason of faultReasons) eventCount.add(ofEvent, ['error', reason], 0)
  for (const credential of ['code', 'refresh_token']) {
    for (const ended of ['true', 'false']) replayCount.add(ofReplay, [credential, ended], 0)
  }

  const endOf = ({ outcome, error, reason, tenantKey, tenantId }: RequestMessage | GuardMessage) => {
    const label = tenantId !== undefined && tenantKey !== undefined ? labelOf(tenantKey) : undefined
    return [outcome, error, reason, label]
  }
  const onDocuments = (message: unknown) => documentCount.add((message as DocumentsMessage).change)
  const onEvent = (message: unknown) => {
    const event = message as CustomerSignInEvent
    eventCount.add(ofEvent, [event.type, 'reason' in event ? event.reason : undefined])
    if (event.type === 'replayed') replayCount.add(ofReplay, [event.credential, String(event.ended)])
  }

  subscribe('customer-sign-in:event', onEvent)
  subscribe('customer-sign-in:documents', onDocuments)
  const ends = [
    () => unsubscribe('customer-sign-in:event', onEvent),
    () => unsubscribe('customer-sign-in:documents', onDocuments),
    requests.subscribe({
      asyncEnd: (message) => {
        const { endpoint, outcome, duration } = message
        requestCount.add(ofRequest, [endpoint, ...endOf(message)])
        requestDuration.record(seconds(duration), { [own.endpoint]: endpoint, [own.outcome]: outcome })
      },
    }),
    guardedRequests.subscribe({
      asyncEnd: (message) => {
        const { guard, outcome, duration } = message
        guardCount.add(ofGuard, [guard, ...endOf(message)])
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
  ]
  return () => {
    for (const end of ends) end()
    for (const count of [requestCount, guardCount, eventCount, replayCount]) count.stop()
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
export class Tally {
  readonly #counts = new Map<string, { attributes: Attributes; count: number }>()
  readonly #stop: () => void

  constructor(meter: Meter, name: string, options: MetricOptions) {
    const counter = meter.createObservableCounter(name, options)
    const observe = (result: ObservableResult) => {
      for (const { count, attributes } of this.#counts.values()) result.observe(count, attributes)
    }
    counter.addCallback(observe)
    this.#stop = () => counter.removeCallback(observe)
  }

  /**
   * Counts one more of a kind.
   *
   * @param values The values of the attributes, in the order of `names`. Undefined stands for none.
   */
  add(names: readonly string[], values: readonly (string | undefined)[], count = 1): void {
    const key = values.join('\n')
    const known = this.#counts.get(key)
    if (known) known.count += count
    else this.#counts.set(key, { attributes: attributesOf(names, values), count })
  }

  stop(): void {
    this.#stop()
  }
}

function attributesOf(names: readonly string[], values: readonly (string | undefined)[]): Attributes {
  const pairs = names.map((name, index): [string, string | undefined] => [name, values[index]])
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
}
