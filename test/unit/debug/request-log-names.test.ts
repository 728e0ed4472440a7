import { asksFor } from '../../../src/debug/request-log'

describe('DEBUG', () => {
  it.each([
    ['customer-sign-in', true],
    ['express:*,customer-sign-in', true],
    ['express:* customer-sign-in', true],
    ['*', true],
    ['customer-*', true],
    ['*-in', true],
    ['', false],
    ['express:*', false],
    ['customer', false],
    ['customer-sign-in-other', false],
    ['my-customer-sign-in', false],
    ['customer-sign-in:store', false],
    ['*,-customer-sign-in', false],
    ['customer-sign-in,-express', true],
    ['-customer-*,*', false],
    ['customer.sign.in', false],
    ['(', false],
  ])('%j asks for this library: %s', (names, isAsked) => {
    expect(asksFor('customer-sign-in', names)).toBe(isAsked)
  })
})
