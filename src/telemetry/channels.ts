import type { AsyncLocalStorage } from 'node:async_hooks'
import diagnostics, { type Channel, type TracingChannel } from 'node:diagnostics_channel'
import { maxTold, withoutCredentials } from '../protocol/without-credentials'
import type {
  DocumentsMessage,
  FetchMessage,
  GuardMessage,
  RequestMessage,
  StoreMessage,
  TimedMessage,
} from './messages'

/** Does some work in a context of its own, such as that of a span. */
type Surrounding<Message> = <T>(message: Message, work: () => T) => T

/**
 * A tracing channel of `node:diagnostics_channel`. Unlike its own `tracePromise`, this puts neither the result nor the error on the message:
 * they hold customers' data.
 */
export class TracedChannel<Message extends TimedMessage> {
  readonly #surroundings = new Set<Surrounding<Message>>()
  readonly #channel: TracingChannel<unknown, Message>

  constructor(readonly name: string) {
    this.#channel = diagnostics.tracingChannel<unknown, Message>(name)
  }

  /** Whether anybody listens. If nobody does, no message need be made. */
  get isOn(): boolean {
    return this.#channel.hasSubscribers
  }

  /**
   * Does some work, and tells subscribers when it begins and when it has ended.
   *
   * @param message Complete when `work` settles.
   * @param onError Completes the message with what `work` has thrown.
   */
  trace<T>(message: Message, work: () => Promise<T>, onError: (error: unknown) => void = () => {}): Promise<T> {
    if (!this.#channel.hasSubscribers) return work()
    const { start, end, asyncStart, asyncEnd, error } = this.#channel
    hideCredentials(message)
    return start.runStores(message, async () => {
      const begun = performance.now()
      try {
        const working = this.#surroundings.size === 0 ? work() : this.#surrounded(message, work)
        hideCredentials(message)
        end.publish(message)
        return await working
      } catch (thrown) {
        onError(thrown)
        hideCredentials(message)
        error.publish(message)
        throw thrown
      } finally {
        message.duration = performance.now() - begun
        hideCredentials(message)
        asyncStart.publish(message)
        asyncEnd.publish(message)
      }
    })
  }

  /** Calls functions with each message: when work begins, and when it has ended. @returns Ends that. */
  subscribe(listeners: {
    start?: ((message: Message) => void) | undefined
    asyncEnd: (message: Message) => void
  }): () => void {
    // The types of Node 20 require a function for every part.
    const subscribers = listeners as Required<Parameters<TracingChannel<unknown, Message>['subscribe']>[0]>
    this.#channel.subscribe(subscribers)
    return () => this.#channel.unsubscribe(subscribers)
  }

  /** Gives each work a value of its own in its async context. @returns Ends that. */
  bind<Value>(storage: AsyncLocalStorage<Value>, make: (message: Message) => Value): () => void {
    const start = this.#channel.start as Channel<Value, Message>
    start.bindStore(storage, make)
    return () => start.unbindStore(storage)
  }

  /**
   * Lets each work be done inside of a function: for a context that is in no storage which can be bound. It is not called unless there is also
   * a subscription. @returns Ends that.
   */
  surround(surrounding: Surrounding<Message>): () => void {
    this.#surroundings.add(surrounding)
    return () => this.#surroundings.delete(surrounding)
  }

  #surrounded<T>(message: Message, work: () => T): T {
    const surroundings = [...this.#surroundings]
    return surroundings.reduce((inner, surrounding) => () => surrounding(message, inner), work)()
  }
}

/** A client can have put one into the path, or in place of its id. */
function hideCredentials(message: object): void {
  for (const [name, value] of Object.entries(message)) {
    if (typeof value === 'string') Reflect.set(message, name, withoutCredentials(value, maxTold))
  }
}

export const requests = new TracedChannel<RequestMessage>('customer-sign-in:request')
export const guardedRequests = new TracedChannel<GuardMessage>('customer-sign-in:guard')
export const storeCalls = new TracedChannel<StoreMessage>('customer-sign-in:store')
export const fetches = new TracedChannel<FetchMessage>('customer-sign-in:fetch')

const documents = diagnostics.channel('customer-sign-in:documents')

export function tellOfDocuments(message: DocumentsMessage): void {
  if (message.change !== 0) documents.publish(message)
}

/** Calls a function with each message of a channel that has no beginning and no end. @returns Ends that. */
export function listen<Message>(name: string, listener: (message: Message) => void): () => void {
  const onMessage = (message: unknown) => listener(message as Message)
  diagnostics.subscribe(name, onMessage)
  return () => diagnostics.unsubscribe(name, onMessage)
}
