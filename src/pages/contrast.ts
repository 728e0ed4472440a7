/** A colour as `#rgb` or `#rrggbb`. */
export type Color = string

/** The contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: Color, other: Color): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The colour that lies between two others. @param share How much of the second one it has, from 0 to 1. */
export function mixed(one: Color, other: Color, share: number): Color {
  const others = channelsOf(other)
  const channels = channelsOf(one).map((channel, index) =>
    Math.round(channel + ((others[index] ?? 0) - channel) * share)
      .toString(16)
      .padStart(2, '0'),
  )
  return `#${channels.join('')}`
}

/** The relative luminance of a colour, from 0 to 1 (WCAG 2.2, "relative luminance"). */
function luminanceOf(color: Color): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Red, green and blue, from 0 to 255. */
function channelsOf(color: Color): number[] {
  const digits = color.length === 4 ? color.replace(/[^#]/g, '$&$&') : color
  return [1, 3, 5].map((start) => Number.parseInt(digits.slice(start, start + 2), 16))
}
