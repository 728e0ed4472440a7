import { type Html, html } from './html'
import type { Words } from './words'

// So that a page with everything about each stays small.
const perPage = 10

/**
 * The part of a list that a page shows, and the link to the next part.
 *
 * @param asked The number of the part, as the address says it.
 */
export function paged<T>(
  items: readonly T[],
  asked: string,
  { connected }: Words,
): { shown: readonly T[]; more: Html } {
  const number = /^[1-9]\d{0,3}$/.test(asked) ? Number(asked) : 1
  const end = number * perPage
  return {
    shown: items.slice(end - perPage, end),
    more: html`${items.length > end && html`<section><a class="button quiet" href="?page=${String(number + 1)}">${connected.more}</a></section>`}`,
  }
}
