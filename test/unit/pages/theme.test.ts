import { createHash } from 'node:crypto'
import { MemoryTenantStore, type Tenant, type Theme, type ThemeColors } from 'customer-sign-in'
import fc from 'fast-check'
import { styleOf } from '../../../src/pages/style'
import { theme as checkedTheme, contrast, mixed, palettesOf } from '../../../src/pages/theme'
import { Authorization, asTheySay } from '../../support/authorization'
import { testSignIn } from '../../support/host-app'
import { clientId, redirectUri } from '../../support/sign-in'
import { started } from '../../support/started'

const green: ThemeColors = { background: '#e6f4ea', card: '#fff', text: '#123', accent: '#0b6e4f' }
const night: ThemeColors = { background: '#000000', card: '#0d1f17', text: '#e6f4ea', accent: '#5fd3a5' }

async function hostWith(tenant: Partial<Tenant>, theme?: Theme) {
  const clients = [{ clientId, redirectUris: [redirectUri] }]
  const tenantStore = new MemoryTenantStore([{ key: 'acme', clients, ...tenant }])
  return started({ tenantStore, authenticate: asTheySay, ...(theme && { pages: { theme } }) })
}

/** The styles of the consent page and of the error page, which must be the one that the page's policy allows. */
async function stylesOf(tenant: Partial<Tenant>, theme?: Theme): Promise<string[]> {
  const host = await hostWith(tenant, theme)
  const pages = [await new Authorization(host).open(), await new Authorization(host, { client_id: 'nobody' }).open()]
  return pages.map(({ text, headers }) => {
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers['content-security-policy']).toContain(`style-src 'sha256-${hash}';`)
    return style
  })
}

function create(theme: unknown) {
  return () => testSignIn({ pages: { theme: theme as Theme } })
}

describe('the colour between two others', () => {
  it('has six digits, also if it is dark', () => {
    expect(mixed('#000000', '#0a0aff', 0.5)).toBe('#050580')
  })
})

const isDarkToo = (style: string) => style.includes('prefers-color-scheme: dark')

describe('the colours of both pages', () => {
  it('are those of the option, in a light and in a dark scheme', async () => {
    for (const style of await stylesOf({}, { light: green, dark: night })) {
      for (const color of [...Object.values(green), ...Object.values(night)]) expect(style).toContain(`: ${color}`)
      expect(style).toContain('color-scheme: light dark')
      expect(isDarkToo(style)).toBe(true)
    }
  })

  it('are light and dark ones of the package, where nobody names any', async () => {
    for (const style of await stylesOf({})) {
      for (const color of ['#f4f5f7', '#ffffff', '#1b1f24', '#1f4fd8']) expect(style).toContain(`: ${color}`)
      expect(isDarkToo(style)).toBe(true)
    }
  })

  it('are those of the company, in place of all of the option', async () => {
    for (const style of await stylesOf({ theme: { light: { accent: '#7c2d12' } } }, { light: green, dark: night })) {
      expect(style).toContain('--strong: #7c2d12')
      expect(style).toContain('--card: #ffffff')
      expect(style).not.toContain('#0b6e4f')
      expect(isDarkToo(style)).toBe(false)
    }
  })

  it('are those of the option where the company’s are null', async () => {
    for (const style of await stylesOf({ theme: null }, { light: green })) expect(style).toContain('#0b6e4f')
  })

  it.each<[Theme, string]>([
    [{ light: green }, 'only light'],
    [{ dark: night }, 'only dark'],
  ])('are of one scheme if a theme has only that one: %j', async (theme, scheme) => {
    for (const style of await stylesOf({}, theme)) {
      expect(style).toContain(`color-scheme: ${scheme}`)
      expect(isDarkToo(style)).toBe(false)
    }
  })

  it('are those of the package without a theme, and with a radius alone', async () => {
    for (const style of [...(await stylesOf({})), ...(await stylesOf({}, { radius: 0 }))]) {
      expect(isDarkToo(style)).toBe(true)
      expect(style).toContain('--strong: #1f4fd8')
    }
  })
})

describe('the corners', () => {
  it.each([
    [undefined, '0.75rem'],
    [0, '0rem'],
    [24, '1.5rem'],
  ])('have the radius of the theme: %s', async (radius, inCss) => {
    for (const style of await stylesOf({ theme: radius === undefined ? {} : { radius } })) {
      expect(style).toContain(`--radius: ${inCss}`)
    }
  })
})

describe('a theme that not everybody can read', () => {
  it.each<[string, Theme, string]>([
    [
      'text on the card',
      { light: { text: '#777777' } },
      'theme.light must be colours of which text has a contrast of at least 4.5 to 1 with card (WCAG 2.2 AA), but #777777 on #ffffff has 4.47 to 1',
    ],
    [
      'text around the card',
      { dark: { background: '#888' } },
      'theme.dark must be colours of which text has a contrast of at least 4.5 to 1 with background (WCAG 2.2 AA), but #eceef1 on #888 has 3.04 to 1',
    ],
    [
      'the focus on the card',
      { light: green, dark: { accent: '#333' } },
      'theme.dark must be colours of which accent has a contrast of at least 3 to 1 with card (WCAG 2.2 AA), but #333 on #1e2228 has 1.26 to 1',
    ],
    [
      'the focus around the card',
      { light: { ...green, background: '#fafafa', accent: '#949494' } },
      'theme.light must be colours of which accent has a contrast of at least 3 to 1 with background (WCAG 2.2 AA), but #949494 on #fafafa has 2.9',
    ],
  ])('is refused at start-up: %s', (_, theme, message) => {
    expect(create(theme)).toThrow(message)
    // What has been refused once is refused again.
    expect(create(theme)).toThrow(message)
  })

  it('is refused in a company’s record', async () => {
    const host = await hostWith({ theme: { light: { text: '#777777' } } })
    await new Authorization(host).open().expect(500)
    const [event] = await host.told('error')
    expect(event?.error.message).toContain('customer-sign-in: tenant.theme.light must be colours of which text has')
  })

  it.each<Theme>([
    { light: { text: '#767676', background: '#fff' } },
    { light: { accent: '#949494', background: '#fff' } },
    { light: green, dark: night, radius: 12.5 },
  ])('is not one whose contrast is just enough: %j', (theme) => {
    expect(create(theme)).not.toThrow()
  })
})

describe('a theme', () => {
  it.each<[string, unknown, string]>([
    [
      'a name of a colour',
      { light: { accent: 'red' } },
      'theme.light.accent must be a colour as # and 3 or 6 hexadecimal digits, such as #1f4fd8, but is "red"',
    ],
    ['a colour that one can see through', { light: { accent: '#1f4fd880' } }, 'theme.light.accent must be a colour'],
    ['a rule', { light: { card: '#fff; } * { display: none' } }, 'theme.light.card must be a colour'],
    ['a line after a colour', { light: { card: '#fff\n' } }, 'theme.light.card must be a colour'],
    ['an address', { dark: { text: 'url(//evil.example)' } }, 'theme.dark.text must be a colour'],
    ['a list of one colour', { light: { accent: ['#1f4fd8'] } }, 'theme.light.accent must be a colour'],
    [
      'a colour that there is not',
      { light: { acent: '#1f4fd8' } },
      'theme.light.acent is not a member of pages.theme.light. Did you mean accent?',
    ],
    [
      'a colour outside of a scheme',
      { accent: '#1f4fd8' },
      'theme.accent is not a member of pages.theme. The members are light, dark and radius',
    ],
    ['a radius as text', { radius: '12px' }, 'theme.radius must be a number of pixels from 0 to 24, but is "12px"'],
    ['a radius that is no number', { radius: Number.NaN }, 'theme.radius must be a number of pixels from 0 to 24'],
    ['a radius that is too large', { radius: 25 }, 'theme.radius must be a number of pixels from 0 to 24, but is 25'],
    ['no colours', { light: '#fff' }, 'theme.light must be an object'],
  ])('cannot have %s', (_, theme, message) => {
    expect(create(theme)).toThrow(message)
  })

  it('leaves enough contrast to everything that is made of its colours', () => {
    const channel = fc.integer({ min: 0, max: 255 }).map((value) => value.toString(16).padStart(2, '0'))
    const color = fc.tuple(channel, channel, channel).map((channels) => `#${channels.join('')}`)
    const colors = fc.record({ background: color, card: color, text: color, accent: color })
    let accepted = 0
    fc.assert(
      fc.property(colors, (light) => {
        if (!isAccepted({ light })) return
        accepted += 1
        const { card = '', strong = '', soft = '', line = '', 'on-strong': onStrong = '' } = variablesOf({ light })
        expect(contrast(soft, card)).toBeGreaterThanOrEqual(4.5)
        expect(contrast(line, card)).toBeGreaterThanOrEqual(3)
        expect(contrast(onStrong, strong)).toBeGreaterThanOrEqual(4.5)
      }),
      { numRuns: 3000 },
    )
    expect(accepted).toBeGreaterThan(20)
  })

  it('of this package is one that everybody can read', () => {
    expect(isAccepted({})).toBe(true)
    const { light, dark } = palettesOf({})
    for (const palette of [light, dark]) expect(contrast(palette?.text ?? '', palette?.card ?? '')).toBeGreaterThan(7)
  })
})

describe('the contrast of two colours', () => {
  it.each([
    ['#000', '#fff', 21],
    ['#ffffff', '#000000', 21],
    ['#abc', '#aabbcc', 1],
    ['#767676', '#ffffff', 4.54],
    ['#0000ff', '#FFF', 8.59],
    ['#f00', '#ffffff', 4],
  ])('is that of WCAG 2.2: %s on %s has %d', (one, other, ratio) => {
    expect(contrast(one, other)).toBeCloseTo(ratio, 2)
  })
})

function isAccepted(theme: Theme): boolean {
  try {
    checkedTheme(theme, 'theme')
    return true
  } catch {
    return false
  }
}

/** The variables of a style, by name. */
function variablesOf(theme: Theme): Record<string, string> {
  const declared = [...styleOf(theme, 'question').text.matchAll(/--([\w-]+): (#\w+)/g)]
  return Object.fromEntries(declared.map(([, name = '', value = '']) => [name, value]))
}

describe('the style of a page', () => {
  it.each([
    ['sign-in', true, true],
    ['question', true, false],
    ['list', false, false],
  ] as const)('of the kind %s has its colours, and the rules of such pages alone', (kind, hasWait, hasSignIn) => {
    const { text } = styleOf(checkedTheme({ radius: 8 }, 'pages.theme'), kind)
    expect(text).toMatch(/^\n:root \{ --radius: 0.5rem \}\n:root \{ color-scheme: light dark; --text: #/)
    expect(text).not.toMatch(/NaN|undefined/)
    expect(text.includes('--wait: .7s')).toBe(hasWait)
    expect(text.includes('.parties {')).toBe(hasSignIn)
  })
})
