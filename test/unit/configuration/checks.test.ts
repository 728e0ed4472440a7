import { rememberAccepted } from '../../../src/configuration/checks'

describe('rememberAccepted', () => {
  it('checks an accepted text once, and a refused one each time', () => {
    const accepts = jest.fn((text: string) => text.startsWith('https:'))
    const isAccepted = rememberAccepted(accepts)
    const texts = ['https://acme.example', 'acme.example', 'https://acme.example', 'acme.example']
    expect(texts.map(isAccepted)).toEqual([true, false, true, false])
    expect(accepts.mock.calls.flat()).toEqual(['https://acme.example', 'acme.example', 'acme.example'])
  })
})
