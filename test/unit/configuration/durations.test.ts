import { duration } from '../../../src/configuration/checks'

describe('a duration', () => {
  it('is in whole seconds, from the shortest to the longest, and becomes milliseconds', () => {
    const check = duration(1, 10)
    expect([1, 10].map((given) => check(given, 'lifetimes.grant'))).toEqual([1000, 10_000])
    for (const given of [0, 11, 1.5, '5', Number.NaN])
      expect(() => check(given, 'lifetimes.grant')).toThrow('lifetimes.grant')
  })

  it('may have a fraction where the option says so', () => {
    const check = duration(0.1, 60, 'number')
    expect(check(1.5, 'hostTimeout')).toBe(1500)
    for (const given of [0, Number.POSITIVE_INFINITY]) expect(() => check(given, 'hostTimeout')).toThrow('hostTimeout')
  })
})
