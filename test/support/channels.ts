import { subscribe, type TracingChannel, tracingChannel, unsubscribe } from 'node:diagnostics_channel'
import { EventEmitter, once } from 'node:events'
import type { CustomerSignInEvent } from 'customer-sign-in'
import type {
  DocumentsMessage,
  FetchMessage,
  GuardMessage,
  RequestMessage,
  StoreMessage,
} from 'customer-sign-in/telemetry'

interface Messages {
  request: RequestMessage
  guard: GuardMessage
  store: StoreMessage
  fetch: FetchMessage
  event: CustomerSignInEvent
  documents: DocumentsMessage
}

const ends: (() => void)[] = []

afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Hears the channels of the library, as any program can, until the end of the test. A message of a tracing channel arrives at its end. */
export class Heard {
  /** All that came, as it was when it came. */
  readonly all: { channel: keyof Messages; message: unknown }[] = []
  readonly #came = new EventEmitter()

  static start(): Heard {
    const heard = new Heard()
    for (const name of ['request', 'guard', 'store', 'fetch'] as const) {
      const subscribers = {
        asyncEnd: (message: { method?: string }) => {
          if (!isOfEarlierTest(message)) heard.#hear(name, { ...message })
        },
      }
      const channel = tracingChannel(`customer-sign-in:${name}`)
      const complete = subscribers as unknown as Parameters<TracingChannel['subscribe']>[0]
      channel.subscribe(complete)
      ends.push(() => channel.unsubscribe(complete))
    }
    for (const name of ['event', 'documents'] as const) {
      const listener = (message: unknown) => heard.#hear(name, message)
      subscribe(`customer-sign-in:${name}`, listener)
      ends.push(() => unsubscribe(`customer-sign-in:${name}`, listener))
    }
    return heard
  }

  #hear(channel: keyof Messages, message: unknown): void {
    this.all.push({ channel, message })
    this.#came.emit('message')
  }

  /** The messages of a channel, as soon as there are so many. */
  async of<Name extends keyof Messages>(name: Name, count = 1): Promise<Messages[Name][]> {
    const found = this.all.filter(({ channel }) => channel === name).map(({ message }) => message as Messages[Name])
    if (found.length >= count) return found
    await once(this.#came, 'message')
    return this.of(name, count)
  }

  /** The only message of a channel, which is forgotten then. */
  async only<Name extends keyof Messages>(name: Name): Promise<Messages[Name]> {
    const [message, ...others] = await this.of(name)
    expect(others).toEqual([])
    this.forget()
    return message as Messages[Name]
  }

  forget(): void {
    this.all.length = 0
  }
}

/** Whether a call reverses a swap: a host of an earlier test may still do so, of another file too, as all share the process's channels. */
function isOfEarlierTest({ method }: { method?: string }): boolean {
  return method === 'reverseSwap'
}
