import { InTurn } from '../../src/stores/in-turn'

const nothing = () => Promise.resolve()

describe('calls in turn', () => {
  afterEach(() => jest.useRealTimers())

  it('begin one after the other, in the order in which they came, also after one that fails', async () => {
    const calls = new InTurn('too many')
    const told: string[] = []
    const call = (name: string) =>
      calls.run(async () => {
        told.push(`${name} begins`)
        await new Promise(setImmediate)
        told.push(`${name} ends`)
        if (name === 'b') throw new Error('b fails')
        return name
      })
    const results = await Promise.allSettled(['a', 'b', 'c'].map(call))
    expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
    expect(results).toMatchObject([{ value: 'a' }, { reason: { message: 'b fails' } }, { value: 'c' }])
  })

  it('go on five seconds after one that never ends', async () => {
    jest.useFakeTimers()
    const calls = new InTurn('too many')
    void calls.run(() => new Promise(() => {}))
    const second = jest.fn(nothing)
    const result = calls.run(second)
    await jest.advanceTimersByTimeAsync(4_999)
    expect(second).not.toHaveBeenCalled()
    await jest.advanceTimersByTimeAsync(1)
    await result
  })

  it('are refused when 500 are waiting, and accepted again when those have ended', async () => {
    const calls = new InTurn('too many')
    const accepted = Array.from({ length: 500 }, () => calls.run(nothing))
    const refused = jest.fn(nothing)
    await expect(calls.run(refused)).rejects.toThrow(/^too many$/)
    await Promise.all(accepted)
    await new Promise(setImmediate)
    await calls.run(nothing)
    expect(refused).not.toHaveBeenCalled()
  })
})
