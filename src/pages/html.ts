import { visible } from '../protocol/visible-text'

/** A piece of HTML in which everything is escaped that must be. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | Html | readonly Html[] | undefined | false

/** Makes HTML from a template: escapes its values, except those that are HTML already. Undefined and false become nothing. */
export function html(texts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(texts.map((text, index) => text + render(values[index])).join(''))
}

/** A name whose direction of writing does not change that of the text around it, with what nobody sees in it, except spaces. */
export function isolate(name: string): Html {
  return html`<bdi>${visible(name.trim().replace(/\s+/g, ' '))}</bdi>`
}

function render(value: Value): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return value instanceof Html ? value.text : value.map(({ text }) => text).join('')
}
