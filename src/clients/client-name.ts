// Code points: a grapheme can have any number of them.
const maxLength = 60

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * A client's name for itself as it can be shown beside words of ours: in normal form C, on one line, without characters that turn the
 * direction of others or show nothing, with at most two combining marks in a row, and at most 60 characters long. Double quotation
 * marks become single ones, as the name is shown between double ones.
 *
 * @returns Undefined where the name has no letter and no digit.
 */
export function presentableName(name: string): string | undefined {
  const presentable = name
    // All bidi controls are among them. The joiners and U+FE0F belong to Persian, to Indic scripts and to emoji.
    .replace(/(?!\u200C|\u200D|\uFE0F)\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\p{Cs}\p{Co}\uFFF9-\uFFFB]/gu, '')
    .replace(/[\p{White_Space}\p{Cc}\u2800]+/gu, ' ')
    .replace(/["“”„‟«»〝〞〟＂ʺˮ″‶❝❞⹂]/g, "'")
    .normalize('NFC')
    .replace(/((?:\p{M}[\u200C\u200D]*){2})[\p{M}\u200C\u200D]+/gu, '$1')
    .replace(/^[\p{M}\p{Z}\u200C\u200D]+|\p{Z}+$/gu, '')
  return /[\p{L}\p{N}]/u.test(presentable) ? shortened(presentable) : undefined
}

function shortened(name: string): string {
  if ([...name].length <= maxLength) return name
  let start = ''
  for (const { segment } of graphemes.segment(name)) {
    if ([...start, ...segment].length >= maxLength) break
    start += segment
  }
  return `${start.trimEnd()}…`
}
