import request from 'supertest'
import { hiddenFields, unescaped } from './consent-form'

/** Somebody at a page of the host's. The host knows them by a header in place of a session. */
export class PageVisitor {
  readonly #address: string
  readonly #session: string

  constructor(address: string, session: string) {
    this.#address = address
    this.#session = session
  }

  get(query = '') {
    return request(this.#address + query)
      .get('')
      .set('X-Session', this.#session)
  }

  post(form: Record<string, string>) {
    return request(this.#address).post('').type('form').set('X-Session', this.#session).send(form)
  }

  /** Presses a button of the list. @param asked Its value. */
  ask(asked: string) {
    return this.post({ asked })
  }

  /** The fields of the form that the question has. Fails if nothing is asked. */
  async question(asked: string): Promise<Record<string, string>> {
    const { text } = await this.ask(asked).expect(200, /name="page_token"/)
    return hiddenFields({ text })
  }

  /** Opens a question and presses the button that does what it asks about. */
  async confirm(asked: string) {
    return this.post({ ...(await this.question(asked)), decision: 'allow' }).expect(303)
  }
}

/** What the buttons of a list ask, in their order. */
export function buttonsOn({ text }: { text: string }): string[] {
  return [...text.matchAll(/name="asked" value="([^"]*)"/g)].map(([, value = '']) => unescaped(value))
}

/** Who is at a page by the header: a company and a name. */
export function sessionIn(req: { headers: Record<string, string | string[] | undefined> }): [string, string] {
  const [tenantKey = '', name = ''] = String(req.headers['x-session']).split('/')
  return [tenantKey, name]
}
