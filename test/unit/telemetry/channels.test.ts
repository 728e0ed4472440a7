import { AsyncLocalStorage } from 'node:async_hooks'
import { errorWord } from '../../../src/protocol/oauth-error'
import { TracedChannel } from '../../../src/telemetry/channels'
import type { TimedMessage } from '../../../src/telemetry/messages'
import { releaseClock, stopClock } from '../../support/clock'

const named = () => new TracedChannel<TimedMessage & { says?: string }>('customer-sign-in:of-this-test')

/** A channel, and its messages as they were when work began and when it had ended. */
function listenedTo() {
  const heard: unknown[] = []
  const channel = named()
  const keep = (message: object) => void heard.push({ ...message })
  return { channel, heard, end: channel.subscribe({ start: keep, asyncEnd: keep }) }
}

describe('a traced channel', () => {
  it('costs nothing if nobody listens: it gives the work its own promise', () => {
    const working = Promise.resolve('done')
    expect(named().isOn).toBe(false)
    expect(named().trace({}, () => working)).toBe(working)
  })

  it('tells when the work begins, and how long it took when it has ended', async () => {
    const { channel, heard, end } = listenedTo()
    const message = { says: 'hello' }
    const clock = stopClock()
    clock.advance(1)
    expect(
      await channel.trace(message, async () => {
        clock.advance(0.25)
        return 'done'
      }),
    ).toBe('done')
    releaseClock()
    end()
    await channel.trace(message, async () => {})
    expect(heard).toEqual([{ says: 'hello' }, { says: 'hello', duration: 250 }])
  })

  it('hides a credential that a client has put where it does not belong', async () => {
    const { channel, heard, end } = listenedTo()
    await channel.trace({ says: `/csir_${'x'.repeat(80)}` }, async () => {})
    end()
    expect(heard).toMatchObject([{ says: '/csir_...' }, { says: '/csir_...' }])
  })

  it('rejects as the work does, and puts neither its result nor its error on the message', async () => {
    const heard: object[] = []
    const channel = named()
    const end = channel.subscribe({ asyncEnd: (message) => heard.push(message) })
    const fault = new Error('a secret')
    await expect(channel.trace({}, () => Promise.reject(fault))).rejects.toBe(fault)
    await channel.trace({}, async () => 'another secret')
    end()
    expect(heard).toEqual([{ duration: expect.any(Number) }, { duration: expect.any(Number) }])
  })

  it('completes the message with the error before it tells of the end', async () => {
    const channel = named()
    const heard: unknown[] = []
    const end = channel.subscribe({ asyncEnd: ({ says }) => heard.push(says) })
    const message: TimedMessage & { says?: string } = {}
    const failing = channel.trace(
      message,
      () => Promise.reject(new Error('out of reach')),
      (error) => {
        message.says = (error as Error).message
      },
    )
    await expect(failing).rejects.toThrow('out of reach')
    end()
    expect(heard).toEqual(['out of reach'])
  })

  it('gives each work the value that is bound to it', async () => {
    const channel = named()
    const storage = new AsyncLocalStorage<string>()
    const unbind = channel.bind(storage, ({ says = '' }) => says)
    const values = await Promise.all(
      ['one', 'two'].map((says) =>
        channel.trace({ says }, async () => {
          await Promise.resolve()
          return storage.getStore()
        }),
      ),
    )
    unbind()
    expect(values).toEqual(['one', 'two'])
    expect(await channel.trace({}, async () => storage.getStore())).toBeUndefined()
  })

  it('does the work inside of all surroundings', async () => {
    const channel = named()
    const order: string[] = []
    const inside = (name: string) =>
      channel.surround((_message, work) => {
        order.push(name)
        return work()
      })
    const ends = [inside('inner'), inside('outer'), channel.subscribe({ asyncEnd: () => {} })]
    await channel.trace({}, async () => order.push('work'))
    for (const end of ends) end()
    await channel.trace({}, async () => order.push('work'))
    expect(order).toEqual(['outer', 'inner', 'work', 'work'])
  })
})

describe('the word for an error', () => {
  class Unreadable extends Error {
    get code(): string {
      throw new TypeError('not now')
    }
  }

  it.each([
    [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [Object.assign(new Error('unique'), { code: '23505' }), '23505'],
    [new TypeError('wrong'), 'TypeError'],
    [Object.assign(new Error('a number'), { code: 7 }), 'Error'],
    [Object.assign(new Error('a sentence'), { code: 'with a secret: hunter2' }), 'Error'],
    [Object.assign(new Error('a sentence'), { name: 'with a secret: hunter2' }), 'Error'],
    [Object.assign(new Error('long'), { code: 'E'.repeat(61) }), 'Error'],
    [Object.assign(new Error('not so long'), { code: 'E'.repeat(60) }), 'E'.repeat(60)],
    ['a text', 'Error'],
    [new Unreadable('its code throws'), 'Error'],
  ])('is its code, or the name of its class: %s', (thrown, word) => {
    expect(errorWord(thrown)).toBe(word)
  })
})
