import { type Check, imageUrl, isObject, record } from '../configuration/checks'
import type { Logo } from '../contract/tenant-store'
import type { Appearance } from './appearance'
import { type Html, html } from './html'
import { palettesOf } from './theme'

const both = record({ light: imageUrl, dark: imageUrl })

/** A picture, or one for each scheme. */
export const logoImage: Check<Logo> = (given, name) => (isObject(given) ? both(given, name) : imageUrl(given, name))

/** The company's logo, if it has one: that of the scheme that the page has, or of the one that the device asks for. */
export function logo({ logoUri, theme }: Pick<Appearance, 'logoUri' | 'theme'>): Html | undefined {
  if (logoUri === undefined) return undefined
  if (typeof logoUri === 'string') return html`<img src="${logoUri}" alt="">`
  const palettes = palettesOf(theme)
  if (!palettes.light || !palettes.dark)
    return html`<img src="${palettes.light ? logoUri.light : logoUri.dark}" alt="">`
  return html`<picture><source srcset="${candidate(logoUri.dark)}" media="(prefers-color-scheme: dark)"><img src="${logoUri.light}" alt=""></picture>`
}

/** The source expressions that allow the logo (CSP 3 section 2.3.1). */
export function logoSources(logoUri: Logo | undefined): string[] {
  if (logoUri === undefined) return []
  const images = typeof logoUri === 'string' ? [logoUri] : [logoUri.light, logoUri.dark]
  return [...new Set(images.map(sourceOf))]
}

function sourceOf(imageUrl: string): string {
  const { protocol, origin } = new URL(imageUrl)
  return protocol === 'data:' ? 'data:' : origin
}

/** An address in a list of them, which white space and a comma at the end would divide. */
function candidate(imageUrl: string): string {
  return imageUrl.trim().replace(/\s|,$/g, encodeURIComponent)
}
