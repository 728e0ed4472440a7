import { startOf } from '../../../src/protocol/without-credentials'

describe('the start of a text', () => {
  it.each([
    ['short', 'short'],
    ['exactly 10', 'exactly 10'],
    ['longer than 10', 'longer tha'],
    ['123456789😀', '123456789'],
    ['12345678😀90', '12345678😀'],
  ])('has no more characters than it may, and all of them whole: %s', (text, start) => {
    expect(startOf(text, 10)).toBe(start)
  })
})
