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
q { display: inline-block; max-width: 100%; margin-inline: .1em; padding: 0 .35em; border: 1px solid var(--line); border-radius: calc(var(--radius) / 2); quotes: none }
.soft { color: var(--soft); font-size: .875rem }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 }
.button, button { flex: 1 1 6rem; max-width: 100%; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: calc(var(--radius) * 2 / 3); background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer }
.button { display: block; text-align: center; text-decoration: none }
.button, button:not([value=deny], [value=switch]) { background: var(--strong); border-color: var(--strong); color: var(--on-strong) }
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
form:has([value=switch]) { margin: 0 0 1rem }
button[value=switch] { flex: none; margin-block: -.625rem; padding: 0; border: 0; background: none; color: inherit; font-size: .875rem; font-weight: 400; text-decoration: underline }
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
 * A press of a button that gives or ends something counts only if, for 0.7 s without a break,
 *
 * - the pointer was over this same button, wherever the page, the window or the customer moved it;
 * - or the button before it had the focus: the Tab key leads to no other Allow than `.key`, which is there only then, for the moment in which
 *   the focus moves, and while it has the focus. Whoever was faster comes to `.soon`, which says so. The button that the mouse presses keeps no
 *   focus, so that Enter presses nothing that the mouse let go;
 * - or, on a device whose finger no style can see, the button was shown. There the page has `.first` in its place, if it can. After that
 *   button the page asks again, at an address that no link can name, with its buttons elsewhere: the first page has them below all of its text,
 *   the second one above everything whose length a stranger can choose. So does a window that is too small for the question with its buttons.
 *
 * The buttons lie under a cover. A press on the cover begins the time again. The place of a button (`.press`) is as large as what is in it, so
 * no mouse can be over it before the button is there, however late that comes; for a finger, the time begins with the last button in it.
 *
 * The clock of a page that nobody sees stands still, and jumps when the page comes into view. An animation that began before would be over
 * at once. So the wait has two steps. `seen` is an animation that ends with the first picture. Its end changes inherited properties, and that
 * begins the transition of the cover. (In Firefox it begins none where nothing else changes, as below a finger: there the cover has an animation of its own.) Both are timers, so they also run for customers who prefer reduced motion. What no style can see is the
 * time for which a page is hidden that was seen before: a focus on Allow outlasts it, and so does the wait of a finger.
 */
const deliberatePresses = `
@keyframes covered { from, to { visibility: visible } }
@keyframes seen { from, to { --cover: visible; --ink: .4; --wait: 0s } }
form { position: relative; align-items: start }
.press { position: relative; display: block; flex: 1 1 6rem; max-width: 100%; --cover: hidden; --ink: 1; --wait: .7s; animation: seen 1ms }
.press i { position: absolute; inset: 0; z-index: 1; cursor: pointer; visibility: var(--cover); transition: visibility var(--wait) }
.press button { display: block; width: 100%; opacity: var(--ink); transition: opacity var(--wait) }
.press i:active { visibility: visible; transition: none }
.press i:active ~ button { opacity: .4; transition: none }
.press:not(:has([tabindex])) { --cover: visible; animation: none }
@supports (-moz-appearance: none) {
  @media (hover: none) { .press:has([tabindex]) i:not(:active) { animation: covered .7s } }
}
@media (hover: hover) { .press:not(:hover) { --cover: visible; --ink: 1; --wait: 0s; animation: none } }
.press [tabindex]:focus:not(:active, :focus-visible) { visibility: hidden }
.press .key { position: absolute; inset: 0; visibility: hidden; transition: visibility 0s .1s }
[value=deny]:focus ~ .press .key { visibility: visible; transition: visibility 0s .7s }
[value=deny]:focus ~ .press .key + button { visibility: hidden; transition: visibility 0s .7s }
.press .key:focus { visibility: visible; transition: none }
.press .key:focus + button { visibility: hidden }
.soon { position: absolute; inset-inline: 0; top: 100%; visibility: hidden; transition: visibility 0s .1s; color: var(--soft); font-size: .875rem }
[value=deny]:focus ~ .soon, .soon:focus { visibility: visible; transition: none }
.soon:not(:focus) span { display: none }
.first ~ .press { display: none }
@media (min-width: 15rem) and (min-height: 20rem) { .first.once { display: none } .first.once ~ .press { display: block } }
@media (hover: hover) and (min-width: 15rem) and (min-height: 20rem) { .first { display: none } .first ~ .press { display: block } }
button[aria-label]::before { content: attr(aria-label) }
button[aria-label] span { display: none }
.line { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.line q { display: inline }
@media (max-height: 20rem) { .line, .line ~ * { margin-block: 0 .25rem } h1:has(+ .line) { margin: 0; font-size: 1rem } body:has(.line) { padding: 0; align-content: start } main:has(.line) { --pad: .5rem } }
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
