import { type Check, imageUrl, isObject, must, mustBeText, nullable, parsed, record } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { Links, Logo, Theme, ThemeColors } from '../contract/tenant-store'
import { isUrl } from '../protocol/resource'

/** The colours of one page. */
export type Palette = Required<{ [Name in keyof ThemeColors]: string }>

/** The colours of this package. */
const ownColors: Readonly<Record<'light' | 'dark', Palette>> = {
  light: { background: '#f4f5f7', card: '#ffffff', text: '#1b1f24', accent: '#1f4fd8' },
  dark: { background: '#14171b', card: '#1e2228', text: '#eceef1', accent: '#9db8ff' },
}

// WCAG 2.2, level AA: 1.4.3 for text, 1.4.11 for what one must see to use the page.
const pairs = [
  ['text', 'card', 4.5],
  ['text', 'background', 4.5],
  ['accent', 'card', 3],
  ['accent', 'background', 3],
] as const

const color = mustBeText('a colour as # and 3 or 6 hexadecimal digits, such as #1f4fd8', (text) =>
  /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
)

const colors = record({
  background: nullable(color),
  card: nullable(color),
  text: nullable(color),
  accent: nullable(color),
})

const members = record({
  light: nullable(colors),
  dark: nullable(colors),
  radius: nullable(
    must<number>('a number of pixels from 0 to 24', (given) => typeof given === 'number' && given >= 0 && given <= 24, {
      quotes: true,
    }),
  ),
})

/** How the pages look, if everybody can read them: colours that are too much alike are refused. */
export const theme: Check<Theme> = (given, name) => {
  const checked = members(given, name)
  for (const [scheme, palette] of Object.entries(palettesOf(checked))) {
    const pair = palette && pairs.find(([one, other, least]) => contrast(palette[one], palette[other]) < least)
    if (!pair) continue
    const [one, other, least] = pair
    // Rounded down, so that 4.499 is not said to be 4.5.
    const has = Math.floor(contrast(palette[one], palette[other]) * 100) / 100
    const allowed = `colours of which ${one} has a contrast of at least ${least} to 1 with ${other}`
    const says = `must be ${allowed} (WCAG 2.2 AA), but ${palette[one]} on ${palette[other]} has ${has} to 1`
    throw new ConfigurationError(`${name}.${scheme}`, undefined, allowed, { says })
  }
  return checked
}

/** The colours of the light page and of the dark one. Undefined for a page that there is not. */
export function palettesOf({ light, dark }: Theme): Record<'light' | 'dark', Palette | undefined> {
  return {
    light: light || !dark ? filledIn('light', light) : undefined,
    dark: dark || !light ? filledIn('dark', dark) : undefined,
  }
}

function filledIn(scheme: 'light' | 'dark', given: ThemeColors = {}): Palette {
  const own = ownColors[scheme]
  const { background = own.background, card = own.card, text = own.text, accent = own.accent } = given
  return { background, card, text, accent }
}

/** The contrast of two colours as `#rgb` or `#rrggbb`, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The colour that lies between two others. @param share How much of the second one it has, from 0 to 1. */
export function mixed(one: string, other: string, share: number): string {
  const others = channelsOf(other)
  const channels = channelsOf(one).map((channel, index) =>
    Math.round(channel + ((others[index] ?? 0) - channel) * share)
      .toString(16)
      .padStart(2, '0'),
  )
  return `#${channels.join('')}`
}

/** The relative luminance of a colour, from 0 to 1 (WCAG 2.2, "relative luminance"). */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Red, green and blue, from 0 to 255. */
function channelsOf(color: string): number[] {
  const digits = color.length === 4 ? color.replace(/[^#]/g, '$&$&') : color
  return [1, 3, 5].map((start) => Number.parseInt(digits.slice(start, start + 2), 16))
}

const both = record({ light: imageUrl, dark: imageUrl })

/** A picture, or one for each scheme. */
export const logoImage: Check<Logo> = (given, name) => (isObject(given) ? both(given, name) : imageUrl(given, name))

const webPage = parsed(
  mustBeText('an absolute https URL without credentials', (text) => {
    if (!/^https:\/\/[^\s\\]+$/i.test(text) || !isUrl(text)) return false
    const { username, password } = new URL(text)
    return username === '' && password === ''
  }),
)

/** Addresses of pages of a company's own. */
export const links: Check<Links> = record({
  home: nullable(webPage),
  connectedApps: nullable(webPage),
  privacy: nullable(webPage),
  terms: nullable(webPage),
  imprint: nullable(webPage),
  support: nullable(webPage),
  documentation: nullable(webPage),
})
