import { framed } from '../../../src/protocol/digest'

describe('framed parts', () => {
  it.each([
    [
      ['ab', 'c'],
      ['a', 'bc'],
    ],
    [['ab'], ['a', 'b']],
    [['a', ''], ['a']],
    [
      ['', 'a'],
      ['a', ''],
    ],
    [
      ['1:a,', 'b'],
      ['1:a', ',b'],
    ],
    [
      ['a', '1:b,'],
      ['a,1:b', ''],
    ],
    [['ü'], ['u', '\u0308']],
  ])('of %j and %j differ', (one, other) => {
    expect(framed('test', one)).not.toBe(framed('test', other))
  })

  it('can be separated again, whatever they contain', () => {
    const parts = ['', '3:abc,', '\n\u0000', 'köln 🗝', Buffer.from([0, 255, 254]).toString('base64url')]
    expect(partsOf(framed('test', parts))).toEqual(['v1', 'test', ...parts])
    expect(framed('test', [Buffer.from([0, 255, 254])])).toBe(framed('test', ['AP_-']))
  })
})

function partsOf(text: string): string[] {
  if (text === '') return []
  const [, length = '', rest = ''] = /^(\d+):(.*)$/s.exec(text) ?? []
  return [rest.slice(0, Number(length)), ...partsOf(rest.slice(Number(length) + 1))]
}
