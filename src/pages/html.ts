/** A piece of HTML that is safe as it stands. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | Html | readonly Html[] | undefined | false

/** A template whose values are escaped, except those that are HTML already. Nothing comes of undefined and false. */
export function html(texts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(texts.map((text, index) => text + rendered(values[index])).join(''))
}

function rendered(value: Value): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'string') return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
  return value instanceof Html ? value.text : value.map(({ text }) => text).join('')
}
