import fc from 'fast-check'
import { presentableName } from '../../../src/clients/client-metadata'

describe('the name that a client gives itself', () => {
  it.each([
    'Claude',
    'Travel Assistant 2',
    'Ada’s Helper (beta)',
    'مساعد السفر',
    'می‌خواهم',
    'שלום',
    'नमस्ते क्षेत्र',
    'ผู้ช่วยเดินทาง',
    '旅行アシスタント',
    'Flieger 👩‍✈️ ☎️',
  ])('stays as it is if nothing is wrong with it: %s', (name) => {
    expect(presentableName(name)).toBe(name)
  })

  it.each([
    ['a mark that ends the isolation around it', 'Claude\u2069\u202e to', 'Claude to'],
    ['marks of a direction', '\u200eA\u200fB\u061cC\u202aD\u2066E', 'ABCDE'],
    ['what shows nothing', 'C\u200bl\u00ada\u034fu\u180bd\u{e0100}e\u2060', 'Claude'],
    ['line breaks and rows of spaces', ' Claude\r\n\n\u2028\tby   Acme\u00a0', 'Claude by Acme'],
    ['control characters', 'Cl\u0000aude\u0085', 'Cl aude'],
    ['characters without a meaning of their own', 'Claude\ue000\ud800\ufff9', 'Claude'],
    ['characters that nobody has defined', 'Cla\u0378ude', 'Claude'],
    ['more marks in a row than two', `Cla${'\u0335'.repeat(40)}ude`, 'Cla\u0335\u0335ude'],
    ['joiners that part the marks of a row', `A${'\u0335\u200d'.repeat(40)}B`, 'A\u0335\u200d\u0335\u200dB'],
    ['marks on the quotation mark before it', '\u0335\u0335Claude', 'Claude'],
    ['the end of its quotation', 'Claude” by “Acme" «Air»', "Claude' by 'Acme' 'Air'"],
    ['what looks like the end of its quotation', 'Claude\u2033 \u02ba\u02ee\u2036\u275d\u275e\u2e42', "Claude' '"],
    ['marks that look like one in a row', 'Claude’’ to ‘‘safe \u05f4\u3003\u{1f676}\u2032\u2032', "Claude' to 'safe '"],
    [
      'the end of its quotation in another language',
      '「Claude」『by』 ‹Acme› 《Air》 〈x〉',
      "'Claude'by' 'Acme' 'Air' 'x'",
    ],
    ['what normal form KC makes an end of it', 'Claude\u2329by\u232a', "Claude'by'"],
    ['letters that stand for others', '𝓒𝗅ａ𝚞ⅾⅇ', 'Claude'],
    ['marks that a joiner or an accent parts', 'Claude’\u200d’ \u02dd ´\u0301´ ’”', "Claude' ' ' '"],
    ['blanks that are no spaces', 'Claude\u2800\u2800by\u2800Acme', 'Claude by Acme'],
    ['another form of the same letters', 'Cafe\u0301', 'Café'],
  ])('loses %s', (_, name, presentable) => {
    expect(presentableName(name)).toBe(presentable)
  })

  it.each([
    ['', ''],
    ['spaces', ' \u3000\u2003'],
    ['variation selectors', '\ufe0f\u034f'],
    ['vowels that show nothing', '\u17b4\u17b5'],
    ['a mark alone', '\u0301'],
    ['selectors beyond the first plane', '\u{e0100}'],
    ['fillers', '\u3164\u115f\u1160\uffa0\u2800'],
    ['punctuation', '***!'],
  ])('is dropped if it has no letter and no digit: %s', (_, name) => {
    expect(presentableName(name)).toBeUndefined()
  })

  it('is cut to 60 characters, never inside one', () => {
    expect(presentableName('x'.repeat(60))).toBe('x'.repeat(60))
    expect(presentableName('x'.repeat(61))).toBe(`${'x'.repeat(59)}…`)
    expect(presentableName('𐌰'.repeat(61))).toBe(`${'𐌰'.repeat(59)}…`)
    expect(presentableName(`${'x'.repeat(57)}👩‍✈️ and more`)).toBe(`${'x'.repeat(57)}…`)
  })

  it('comes out short, in one direction, and unchanged by a second pass, whatever is given', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (name) => {
        const presentable = presentableName(name)
        if (presentable === undefined) return
        expect([...presentable].length).toBeLessThanOrEqual(60)
        expect(presentable).not.toMatch(/["\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|\p{M}{3}/u)
        expect(presentableName(presentable)).toBe(presentable)
      }),
      { numRuns: 2000 },
    )
  })
})
