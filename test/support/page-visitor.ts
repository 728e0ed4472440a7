import request from 'supertest'
import { hiddenFields } from './consent-form'

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

  /** The fields of the form that the question has. Fails if nothing is asked. */
  async question(query: string): Promise<Record<string, string>> {
    return hiddenFields(await this.get(query).expect(200, /name="page_token"/))
  }

  /** Opens a question and presses the button that does what it asks about. */
  async confirm(query: string) {
    return this.post({ ...(await this.question(query)), decision: 'allow' }).expect(303)
  }
}

/** Who is at a page by the header: a company and a name. */
export function sessionIn(req: { headers: Record<string, string | string[] | undefined> }): [string, string] {
  const [tenantKey = '', name = ''] = String(req.headers['x-session']).split('/')
  return [tenantKey, name]
}
