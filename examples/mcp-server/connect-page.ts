import type { AssistantGuide, ConnectGuide } from 'customer-sign-in'
import { escaped, hashOf, page, style } from './pages'

/** Shows a customer the address to paste, and how each assistant is connected. It works without its script, which only copies. */
export function connectPage({ address, tenantName, assistants }: ConnectGuide): string {
  return page(
    `Connect an assistant to ${tenantName}`,
    `<p>Give this address to your assistant. It asks you to log in, and you decide what it may do.</p>
      ${copyable('Address', 'address', address)}
      ${assistants.map(section).join('')}`,
    { more: `<script type="module">${script}</script>` },
  )
}

function section({ id, name, steps, link, command, config, clientId }: AssistantGuide): string {
  return `<section>
        <h2>${escaped(name)}</h2>
        <ol>${steps.map((step) => `<li>${escaped(step)}</li>`).join('')}</ol>
        ${link ? `<p><a href="${escaped(link)}">Open ${escaped(name)}</a></p>` : ''}
        ${command ? copyable(`Command for ${name}`, `${id}-command`, command) : ''}
        ${config ? copyable(`Configuration, for ${config.file}`, `${id}-config`, config.text) : ''}
        ${clientId ? copyable(`Client id for ${name}`, `${id}-client`, clientId) : ''}
      </section>`
}

/** A text in a field, so that the keyboard can select it without a script. The script shows the button. */
function copyable(label: string, id: string, text: string): string {
  const lines = text.split('\n').length
  const field =
    lines === 1
      ? `<input id="${id}" readonly value="${escaped(text)}">`
      : `<textarea id="${id}" readonly rows="${lines}">\n${escaped(text)}</textarea>`
  return `<p>
          <label for="${id}">${escaped(label)}</label> ${field}
          <button type="button" hidden aria-label="Copy: ${escaped(label)}" data-copies="${id}">Copy</button>
          <output for="${id}"></output>
        </p>`
}

// Where the browser refuses the clipboard, the text is selected at least.
const script = `
  for (const button of document.querySelectorAll('[data-copies]')) {
    button.hidden = false
    button.addEventListener('click', async () => {
      const field = document.getElementById(button.dataset.copies)
      const result = button.nextElementSibling
      field.select()
      try {
        await navigator.clipboard.writeText(field.value)
        result.textContent = 'Copied'
      } catch {
        result.textContent = 'Selected: copy it with the keyboard'
      }
    })
  }
`

/** What the page may run and load: its own script and style. */
export const connectPagePolicy = [
  "default-src 'none'",
  `script-src '${hashOf(script)}'`,
  `style-src '${hashOf(style)}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')
