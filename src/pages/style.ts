import { createHash } from 'node:crypto'
import type { Theme } from '../contract/tenant-store'
import { contrast, mixed, type Palette, palettesOf } from './theme'

const appearance = `
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; grid-template-columns: minmax(0, 1fr); align-content: center; justify-items: center; gap: 1rem; padding: 1rem; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: break-word; hyphens: auto }
main { --pad: 2rem; width: 100%; max-width: 27rem; padding: var(--pad); background: var(--card); border-radius: var(--radius) }
img { display: block; max-width: 10rem; max-height: 3rem; margin-bottom: 1rem }
h1, h2 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3; text-wrap: balance }
p, ul, dl { margin: 0 0 1rem; text-wrap: pretty }
main > :last-child { margin-bottom: 0 }
ul { padding-inline-start: 1.25rem }
dt { color: var(--soft); font-size: .875rem }
dd { margin: 0 0 .5rem; font-weight: 600; hyphens: none }
p a { color: inherit }
.soft { color: var(--soft); font-size: .875rem }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 }
.button, button { flex: 1 1 6rem; max-width: 100%; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: calc(var(--radius) * 2 / 3); background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer }
.button { display: block; text-align: center; text-decoration: none }
.button, button:not([value=deny]) { background: var(--strong); border-color: var(--strong); color: var(--on-strong) }
section { padding-top: 1.5rem; margin-top: 1.5rem; border-top: 1px solid var(--line) }
section > :last-child { margin-bottom: 0 }
.button.quiet { background: transparent; border-color: var(--line); color: inherit }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px }
footer { width: 100%; max-width: 27rem; font-size: .875rem; text-align: center; text-wrap: balance }
footer a { display: inline-block; max-width: 100%; padding: .25rem .5rem; color: inherit }
@media (forced-colors: active) { main { border: 1px solid } }
`

// What only the pages of a sign-in have.
const signIn = `
.parties { display: flex; align-items: center; gap: .75rem; margin-bottom: 1rem }
.parties b { flex: none; min-width: 3rem; line-height: 3rem; border-radius: calc(var(--radius) * 2 / 3); background: var(--back); text-align: center }
.parties i { flex: 0 1 2rem; border-top: 2px dotted var(--line) }
.parties img { margin: 0 }
.company { margin-bottom: .25rem; font-weight: 600 }
h1 + form { margin-top: 0 }
button[value=switch] { margin-block: -.625rem; padding: 0; border: 0; background: none; color: inherit; font-size: .875rem; font-weight: 400; text-decoration: underline }
`

// The buttons come after everything that warns: nothing is beneath them, however long the text is. On a screen that is too short for the
// page, its lower edge is soft, so that one sees that there is more. The edge of the whole page is in the padding, where nothing is.
const shortScreens = `
main::after { content: ''; display: block; position: sticky; bottom: 0; height: var(--pad); margin: 0 calc(-1 * var(--pad)) calc(-1 * var(--pad)); border-radius: 0 0 var(--radius) var(--radius); background: linear-gradient(transparent, var(--card) 75%); pointer-events: none }
@media (max-width: 24rem) { main { --pad: 1.25rem } }
@media (max-height: 30rem) { main { --pad: 1rem } }
@media (forced-colors: active) { main::after { display: none } }
`

/**
 * A press of a button counts only after this page has been seen for a while: another page can vanish from above this one between the two
 * clicks of a double click. So
 *
 * - a mouse must have been over the card for 0.7 s since it came there, or since it last pressed anything there except a button;
 * - a finger must wait until the page has been shown for 0.7 s;
 * - the Tab key reaches Allow only after Deny before it, or with Shift the end of the page after it, has had the focus for 0.7 s;
 * - a browser that cannot apply the first rule, because it has no `:has` or no mouse, shows another Allow button, `confirm`, if the page has
 *   one. After that button the page asks again, with its buttons at another place: the first page has them below all of its text, the second
 *   one above everything whose length a stranger can choose.
 *
 * The clock of a page that nobody sees stands still, and jumps when the page comes into view. An animation that began before would be over
 * at once. So each wait has two steps. `seen` and `reached` are animations that end with the first picture of the page. Their end changes
 * inherited properties, and that begins a transition of 0.7 s at the element that waits: the cover that keeps the mouse from the buttons, and
 * Allow. The steps are timers, so they also run for customers who prefer reduced motion.
 */
const deliberatePresses = `
@keyframes seen { from, to { --cover: visible; --ink: .4; --wait: 0s } }
@keyframes reached { from, to { --allow: hidden; --rest: 0s } }
main { --cover: hidden; --ink: 1; --wait: .7s; animation: seen 1ms }
form { position: relative; opacity: var(--ink); transition: opacity var(--wait); --allow: visible; --rest: .7s }
form::after { content: ''; position: absolute; inset: 0; visibility: var(--cover); transition: visibility var(--wait) }
form:focus-within { animation: reached 1ms }
button:not([value=deny], :focus) { visibility: var(--allow); transition: visibility 0s var(--rest) }
button[value=confirm] ~ button[value=allow] { display: none }
button::before { content: attr(aria-label) }
button span, .end:not(:focus) span { display: none }
.end { position: absolute; bottom: 0; font-size: .75rem }
@media (hover: hover) {
  main:not(:hover) { --cover: visible; --wait: 0s; animation: none }
  @supports selector(:has(*)) {
    main:active:not(:has(button:active)) { --cover: visible; --wait: 0s; animation: none }
    button[value=confirm] { display: none }
    button[value=confirm] ~ button[value=allow] { display: block }
  }
}
`

// Lists: what is on them leads to a question at most, so it may be pressed at once.
const lists = `
[hidden] { display: none }
details { border-top: 1px solid var(--line) }
details > :last-child { margin-bottom: 1rem }
summary { padding: .75rem 0; font-weight: 600; cursor: pointer }
ol { margin: 0 0 1rem; padding-inline-start: 1.25rem }
input, select, textarea { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: calc(var(--radius) * 2 / 3); background: var(--card); color: inherit; font: inherit }
textarea { font: .875rem/1.5 ui-monospace, monospace; resize: none; field-sizing: content }
label { flex: 1 1 100%; color: var(--soft); font-size: .875rem }
form label { margin-bottom: -.5rem }
.row { display: flex; flex-wrap: wrap; align-items: flex-start; gap: .5rem; margin-bottom: 1rem }
.row > :not(.button) { flex: 999 1 12rem; min-width: 0 }
.row .button { flex: 1 1 auto; overflow-wrap: normal }
.soft:has(+ .row) { margin-bottom: .25rem }
div + h2 { margin-top: 1.5rem }
.button + label { display: block; margin-top: 1rem }
section > form:first-child { margin-top: 0 }
`

/** The style of a page, and the source expression that allows it. */
export interface Style {
  text: string
  source: string
}

/** What a page is: one of a sign-in, a question before something changes, or a list of what there is. */
export type PageKind = 'sign-in' | 'question' | 'list'

const stylesOfKind: Record<PageKind, { text: string; styles: WeakMap<Theme, Style> }> = {
  'sign-in': { text: appearance + signIn + shortScreens + deliberatePresses, styles: new WeakMap() },
  question: { text: appearance + shortScreens + deliberatePresses, styles: new WeakMap() },
  list: { text: appearance + lists, styles: new WeakMap() },
}

/** The style of pages with a theme, which is made once, because a theme never changes. */
export function styleOf(theme: Theme, kind: PageKind): Style {
  const { styles, text: ofKind } = stylesOfKind[kind]
  const known = styles.get(theme)
  if (known) return known
  const text = colorsOf(theme) + ofKind
  const style = { text, source: hashSource(text) }
  styles.set(theme, style)
  return style
}

/** The source expression that allows a style or script (CSP 3 section 2.3.1). */
export function hashSource(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The colours and the radius as variables. A theme with colours for one scheme only has that scheme on every device. */
function colorsOf(theme: Theme): string {
  const { light, dark } = palettesOf(theme)
  const scheme = light && dark ? 'light dark' : `only ${light ? 'light' : 'dark'}`
  const first = light ?? (dark as Palette)
  const inDark = light && dark && `@media (prefers-color-scheme: dark) { :root { ${variablesOf(dark)} } }`
  const radius = `:root { --radius: ${(theme.radius ?? 12) / 16}rem }`
  return ['', radius, `:root { color-scheme: ${scheme}; ${variablesOf(first)} }`, ...(inDark ? [inDark] : [])].join(
    '\n',
  )
}

/** Everything that is not in a palette is made of it, so that its contrast is enough (WCAG 2.2 AA, 1.4.3 and 1.4.11). */
function variablesOf({ background, card, text, accent }: Palette): string {
  const onAccent = contrast('#ffffff', accent) >= 4.5 ? '#ffffff' : '#000000'
  const soft = faded(text, card, 0.28, (color) => contrast(color, card) >= 4.5)
  const line = faded(text, card, 0.48, (color) => contrast(color, card) >= 3)
  return `--text: ${text}; --soft: ${soft}; --back: ${background}; --card: ${card}; --line: ${line}; --strong: ${accent}; --on-strong: ${onAccent}`
}

/** A colour with as much of another as it can have without becoming illegible, up to a share. */
function faded(color: string, other: string, most: number, isLegible: (color: string) => boolean): string {
  for (let share = most; share > 0; share -= 0.04) {
    const made = mixed(color, other, share)
    if (isLegible(made)) return made
  }
  return color
}
