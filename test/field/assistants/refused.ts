import { textOf } from '../../support/consent-form'
import type { Step } from './assistant'

/** An assistant got no further. */
export class Refused extends Error {
  readonly at: Step
  readonly error: string

  constructor(at: Step, error: string, says: string) {
    super(says)
    this.at = at
    this.error = error
  }
}

/** What a page says that is shown instead of a redirect. */
export function errorOfPage(html: string): Refused {
  const text = textOf(html)
  return new Refused('page', /\((\w+)\)/.exec(text)?.[1] ?? '', text)
}
