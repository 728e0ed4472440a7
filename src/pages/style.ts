// Contrast is at least 4.5 to 1 in both schemes (WCAG 2.2, 1.4.3 and 1.4.11).
const appearance = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --back: #f4f5f7; --card: #fff; --line: #868e96; --strong: #1f4fd8; --on-strong: #fff }
@media (prefers-color-scheme: dark) { :root { --text: #eceef1; --soft: #a9b1bb; --back: #14171b; --card: #1e2228; --line: #7d8590; --strong: #9db8ff; --on-strong: #101624 } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--back); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
main { width: 100%; max-width: 27rem; padding: 2rem; background: var(--card); border-radius: .75rem; overflow-wrap: anywhere }
img { display: block; max-width: 10rem; max-height: 3rem; margin-bottom: 1rem }
h1, h2 { margin: 0 0 1rem; font-size: 1.375rem; line-height: 1.3 }
p, ul, dl { margin: 0 0 1rem }
main > :last-child { margin-bottom: 0 }
ul { padding-inline-start: 1.25rem }
dt { color: var(--soft); font-size: .875rem }
dd { margin: 0 0 .5rem; font-weight: 600 }
.soft { color: var(--soft); font-size: .875rem }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin: 1.5rem 0 }
.button, button { flex: 1 1 6rem; min-height: 2.75rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: transparent; color: inherit; font: inherit; font-weight: 600; cursor: pointer }
.button { display: block; text-align: center; text-decoration: none }
.button, button:not([value=deny]) { background: var(--strong); border-color: var(--strong); color: var(--on-strong) }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px }
@media (forced-colors: active) { main { border: 1px solid } }
`

// The buttons stay in view, however long the text above them is. The form's padding covers what scrolls beneath it, outlines included.
const buttonsInView = `
form:last-child { position: sticky; bottom: 0; margin: .5rem -.5rem -1rem; padding: 1rem .5rem; background: var(--card) }
@media (max-width: 24rem) { main { padding: 1.25rem } }
`

/**
 * A press of a button counts only after this page has been in front for a while: another page can vanish from above this one between the
 * two clicks of a double click. So
 *
 * - a mouse must have been over the card for 0.7 s since it came there, or since it last pressed anything there except a button;
 * - a finger must wait until the page has been shown for 0.7 s;
 * - the Tab key reaches Allow only after Deny before it, or with Shift the end of the page after it, has had the focus for 0.7 s;
 * - a browser that cannot apply the first rule, because it has no `:has` or no mouse, shows another Allow button, `confirm`, if the page has
 *   one. After that button the page asks again, with its buttons at another place. The time of the second rule also passes in a hidden
 *   tab, but the page that asks again is never in a hidden tab.
 *
 * The animations are timers, so they also run for customers who prefer reduced motion.
 */
const deliberatePresses = `
@keyframes wait { from { opacity: .4 } from, to { pointer-events: none } }
@keyframes hide { from, to { visibility: hidden } }
form { animation: wait .7s }
form:focus-within button:not([value=deny], :focus) { animation: hide .7s }
button[value=confirm] ~ button[value=allow] { display: none }
.end { position: absolute; bottom: 0; font-size: .75rem }
.end:not(:focus) { opacity: 0; pointer-events: none }
@media (hover: hover) {
  main:not(:hover) form { animation: none; pointer-events: none }
  @supports selector(:has(*)) {
    main:active:not(:has(button:active)) form { animation: none; pointer-events: none }
    button[value=confirm] { display: none }
    button[value=confirm] ~ button[value=allow] { display: block }
  }
}
`

/** The style of every page. */
export const style = appearance + buttonsInView + deliberatePresses
