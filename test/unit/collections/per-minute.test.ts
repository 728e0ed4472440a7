import { PerMinute } from '../../../src/collections/per-minute'
import { releaseClock, stopClock } from '../../support/clock'

afterEach(releaseClock)

describe('a count for each minute', () => {
  it('allows its number for each name, and the same number again a minute later', () => {
    const clock = stopClock()
    const perMinute = new PerMinute()
    const counted = (name: string) => [1, 2, 3].map(() => perMinute.count({ [name]: 2 }))
    expect(counted('a')).toEqual([true, true, false])
    clock.advance(59)
    expect(counted('a')).toEqual([false, false, false])
    expect(counted('b')).toEqual([true, true, false])
    clock.advance(1)
    expect(counted('a')).toEqual([true, true, false])
  })

  it('counts an event under all of its names or under none, so that what is refused takes nothing of a share', () => {
    const perMinute = new PerMinute()
    const counted = (...names: string[]) => perMinute.count(Object.fromEntries(names.map((name) => [name, 2])))
    expect([counted('a'), counted('a')]).toEqual([true, true])
    expect([counted('b', 'a'), counted('a', 'b'), counted('b', 'a')]).toEqual([false, false, false])
    expect([counted('b', 'c'), counted('b', 'c'), counted('b')]).toEqual([true, true, false])
  })

  it('says how many seconds of the minute are left', () => {
    const clock = stopClock()
    const perMinute = new PerMinute()
    perMinute.count({ a: 1 })
    expect(perMinute.secondsLeft).toBe(60)
    clock.advance(45)
    expect(perMinute.secondsLeft).toBe(15)
    clock.advance(60)
    expect(perMinute.secondsLeft).toBe(1)
  })
})
