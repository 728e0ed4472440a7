import { startOf } from '../protocol/without-credentials'

const maxLength = 300

/**
 * A text of a server as it can be printed: without the control characters that could move the cursor of a terminal or change its title, and
 * not longer than a few lines.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  const plain = text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, ' ')
  return plain.length > maxLength ? `${startOf(plain, maxLength)}…` : plain
}

/** An address without its query and fragment, in which there may be a code. */
export function shownUrl(url: string): string {
  return url.replace(/[?#].*$/s, '')
}

/** The codes and tokens that the doctor has got. A server may repeat them in the text of an error. */
export class Secrets {
  readonly #texts = new Set<string>()

  add(...texts: (string | undefined)[]): void {
    for (const text of texts) if (text) this.#texts.add(text)
  }

  hide(text: string): string {
    return [...this.#texts].reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text)
  }
}
