import { type Check, must, nullable, record, rememberAccepted } from '../configuration/checks'
import { ConfigurationError } from '../configuration/configuration-error'
import type { Theme, ThemeColors } from '../contract/tenant-store'
import { contrast } from './contrast'

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

const color = must<string>(
  'a colour as # and 3 or 6 hexadecimal digits, such as #1f4fd8',
  (given) => typeof given === 'string' && /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(given),
  { quotes: true },
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

const isReadable = rememberAccepted((text) => faultOf(JSON.parse(text)) === undefined)

/** How the pages look, if everybody can read them: colours that are too much alike are refused. */
export const theme: Check<Theme> = (given, name) => {
  const checked = members(given, name)
  if (isReadable(JSON.stringify(checked))) return checked
  const { scheme, says, allowed } = faultOf(checked) ?? { scheme: '', says: '', allowed: '' }
  throw new ConfigurationError(`${name}.${scheme}`, undefined, allowed, { says })
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

function faultOf(given: Theme): { scheme: string; says: string; allowed: string } | undefined {
  for (const [scheme, palette] of Object.entries(palettesOf(given))) {
    const pair = palette && pairs.find(([one, other, least]) => contrast(palette[one], palette[other]) < least)
    if (palette && pair) {
      const [one, other, least] = pair
      // Rounded down, so that 4.499 is not said to be 4.5.
      const has = Math.floor(contrast(palette[one], palette[other]) * 100) / 100
      const allowed = `colours of which ${one} has a contrast of at least ${least} to 1 with ${other}`
      const says = `must be ${allowed} (WCAG 2.2 AA), but ${palette[one]} on ${palette[other]} has ${has} to 1`
      return { scheme, says, allowed }
    }
  }
  return undefined
}
