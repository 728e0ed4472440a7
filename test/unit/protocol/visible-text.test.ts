import { visible } from '../../../src/protocol/visible-text'

describe('a text that somebody else has chosen', () => {
  it.each([
    'customer-1042',
    'ada@example.com',
    'auth0|5f7c8ec7c33c6c004bbafe82',
    'https://login.example/00000000-0000-0000-0000-000000000000/v2.0',
    'xn--bcher-kva.example:8443',
    'Ada Lovelace',
    '山田\u3000太郎',
    'می\u200cخواهم',
    'क्\u200dष',
    '👩🏽\u200d💻 and ❤\ufe0f\u200d🔥',
    // Reserved for an emoji that there is not yet.
    '\u{1faff}',
    'Müller, Ñandú, Ελλάς, Кириллица, עברית, العربية, 한국어',
  ])('stays as it is if all of it is seen: %s', (text) => {
    expect(visible(text)).toBe(text)
  })

  it.each([
    ['the end of a direction', '\u202e1042\u2069', '[U+202E]1042[U+2069]'],
    ['a mark of a direction', 'a\u200eb\u200fc\u061cd', 'a[U+200E]b[U+200F]c[U+061C]d'],
    ['a joiner between other letters', 'a\u200bb\u200cc\u200dd', 'a[U+200B]b[U+200C]c[U+200D]d'],
    ['a joiner at an end', '\u200cمی\u200c', '[U+200C]می[U+200C]'],
    ['a soft hyphen', 'a\u00adb', 'a[U+00AD]b'],
    ['a byte order mark', '\ufeff1042', '[U+FEFF]1042'],
    ['fillers and blanks', '\u3164\u115f\u1160\uffa0\u2800\ufffc', '[U+3164][U+115F][U+1160][U+FFA0][U+2800][U+FFFC]'],
    ['a line break', 'a\nb\u2028c\u2029d', 'a[U+000A]b[U+2028]c[U+2029]d'],
    ['other spaces', 'a\u00a0b\u2003c\u3000', 'a[U+00A0]b[U+2003]c[U+3000]'],
    ['spaces that a page would leave out', ' a  b ', '[U+0020]a[U+0020][U+0020]b[U+0020]'],
    ['nothing but a space', ' ', '[U+0020]'],
    ['a tag', 'a\u{e0041}', 'a[U+E0041]'],
    ['a variation of a letter', 'a\ufe0fb\u{e0100}', 'a[U+FE0F]b[U+E0100]'],
    ['an ignorable character that is not assigned', 'a\u2065b\u{e0fff}', 'a[U+2065]b[U+E0FFF]'],
    ['a character that is not assigned, or never will be', 'a\u0378b\ufdd0c\uffff', 'a[U+0378]b[U+FDD0]c[U+FFFF]'],
    ['half of a character', 'a\ud83d', 'a[U+D83D]'],
  ])('shows %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown)
  })
})
