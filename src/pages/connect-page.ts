import type { ServerResponse } from 'node:http'
import type { Appearance } from './appearance'
import { type Html, html, isolate } from './html'
import { logo, respondWithPage } from './page'
import { sentence, type Words } from './words'

/** How an assistant is connected. */
interface ShownAssistant {
  id: string
  name: string
  steps: readonly string[]
  link?: string | undefined
  command?: string | undefined
  config?: { file: string; text: string } | undefined
  clientId?: string | undefined
}

/** What the page "Connect an assistant" shows. */
export interface ShownGuide {
  tenantName: string
  address: string
  assistants: readonly ShownAssistant[]
}

// Where the browser refuses the clipboard, the text is selected at least.
const copies = `
for (const button of document.querySelectorAll('button')) {
  const field = button.previousElementSibling
  button.hidden = false
  button.onclick = () => navigator.clipboard.writeText(field.value).then(
    () => { button.textContent = document.querySelector('main > div').dataset.copied },
    () => field.select(),
  )
}
`

/** Shows a customer the address to paste, and how each assistant is connected. It works without its script, which only copies. */
export function respondWithConnectPage(res: ServerResponse, guide: ShownGuide, appearance: Appearance): void {
  const { tenantName, address, assistants } = guide
  const { words } = appearance.language
  const { title, intro, none, which, address: label, copied } = words.connect
  const tenant = isolate(tenantName)
  const body = html`${logo(appearance)}
<h1>${title}</h1>
<p>${sentence(intro, { tenant })}</p>
<div data-copied="${copied}">${copyable('address', sentence(label, { tenant }), address, words)}</div>
${
  assistants.length === 0
    ? html`<p>${sentence(none, { tenant })}</p>`
    : html`<h2>${which}</h2>\n${assistants.map((assistant) => details(assistant, words))}`
}`
  respondWithPage(res, 200, { title, body, kind: 'list', script: copies }, appearance)
}

/** One assistant. Of those that share a name in their attribute, one is open at a time. */
function details({ id, name, steps, link, command, config, clientId }: ShownAssistant, words: Words): Html {
  const { connect } = words
  return html`<details name="assistant"><summary>${isolate(name)}</summary>
<ol>
${steps.map((step) => html`<li>${step}</li>\n`)}
</ol>
${link !== undefined && html`<a class="button" href="${link}">${sentence(connect.open, { app: isolate(name) })}</a>`}
${command !== undefined && copyable(`${id}-command`, connect.command, command, words)}
${config && copyable(`${id}-config`, sentence(connect.file, { file: isolate(config.file) }), config.text, words)}
${clientId !== undefined && copyable(`${id}-client`, connect.clientId, clientId, words)}
</details>
`
}

// Characters that a line has room for, on a phone too.
const lineLength = 32

/** A text to copy. It is a field, so that the keyboard can select all of it. The script shows the button. */
function copyable(id: string, label: string | Html, text: string, { connect }: Words): Html {
  const rows = text.split('\n').reduce((count, line) => count + Math.ceil(line.length / lineLength), 0)
  return html`<label for="${id}">${label}</label>
<div class="row"><textarea id="${id}" readonly rows="${String(rows)}" dir="ltr">
${text}</textarea>
<button class="button quiet" hidden aria-live="polite">${connect.copy}</button></div>`
}
