import type { ServerResponse } from 'node:http'
import type { Appearance } from './appearance'
import { decisionButtons } from './consent-page'
import { Html, html } from './html'
import { logo, respondWithPage } from './page'

/** What is asked before something changes. */
export interface Question {
  heading: Html
  /** What it is about, as parts of a description list. */
  about?: Html | undefined
  /** What happens then. */
  effect?: string | Html | undefined
  /** The label of the button that does it. */
  confirm: string
}

/**
 * Asks before something changes. Its form has the rules of the consent page: a press counts only after 0.7 s.
 *
 * @param fields What the form carries.
 */
export function respondWithQuestion(
  res: ServerResponse,
  { heading, about, effect, confirm }: Question,
  fields: Readonly<Record<string, string>>,
  appearance: Appearance,
): void {
  const { words } = appearance.language
  const body = html`${logo(appearance)}
<h1>${heading}</h1>
${about && html`<dl>${about}</dl>`}
${effect !== undefined && html`<p>${effect}</p>`}
<form method="post" action="?">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`)}
${decisionButtons({ deny: words.connected.cancel, allow: confirm }, words)}
</form>`
  // A title has no elements.
  const title = new Html(heading.text.replace(/<\/?bdi>/g, ''))
  respondWithPage(res, 200, { title, body, kind: 'question' }, appearance)
}
