import { func, identifier, optional, record, requirements, resource, text } from '../configuration/checks'
import type { AssistantGuide, ConnectGuide, ConnectRequest } from '../connect/connect'
import { type Html, html, isolate } from '../pages/html'
import { logo, respondWithPage } from '../pages/page'
import { sentence, type Words } from '../pages/words'
import type { Middleware } from '../resource-server/guards'
import { mountedPage, type PageRooms, type Visit, type WhoHook } from './mounted-page'

/** For whom the page "Connect an assistant" is. */
export interface ReaderOfPage {
  /** The key of the company. */
  tenantKey: string
  /** The customer, who may not have logged in yet: nothing on the page is secret. */
  subject?: string | undefined
}

/** What the page "Connect an assistant" needs. */
export interface ConnectAssistantOptions {
  /** For whom the page is. */
  who: WhoHook<ReaderOfPage>
  /** One of the company's APIs. Default: the first of its resources. */
  resource?: string | undefined
}

const where = 'pages.connectAssistant'
const checkedOptions = requirements({ who: func<WhoHook<ReaderOfPage>>(), resource: optional(resource) })

/** The page that tells customers how to connect an assistant. */
export function connectAssistant(
  given: ConnectAssistantOptions,
  connect: (to: ConnectRequest) => Promise<ConnectGuide>,
  rooms: PageRooms,
): Middleware {
  const { who, resource } = checkedOptions(given, where)
  const page = {
    where,
    whose: record({ tenantKey: text, subject: optional(identifier) }, () => true),
    expected: 'a tenantKey, and a subject if there is one, or nothing',

    async show(visit: Visit<ReaderOfPage>): Promise<void> {
      const { tenantKey } = visit.who
      const language = visit.appearance.language.tag
      showGuide(await connect({ tenantKey, ...(resource !== undefined && { resource }), language }), visit)
    },
  }
  return mountedPage(page, who, rooms)
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

/** Shows the address to paste, and how each assistant is connected. The page works without its script, which only copies. */
function showGuide({ tenantName, address, assistants }: ConnectGuide, { res, appearance }: Visit<ReaderOfPage>): void {
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
function details({ id, name, steps, link, command, config, clientId }: AssistantGuide, words: Words): Html {
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
