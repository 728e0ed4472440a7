import { inspect } from 'node:util'
import { type CustomerSignInEvent, MemoryTokenStore } from 'customer-sign-in'
import type { Grant } from 'customer-sign-in/store'
import type { Response } from 'supertest'
import { takenApart } from './credential-text'
import { wrapStore } from './wrap-store'

/** Records everything that was ever issued, and everything that was stored or reported. */
export class Witness {
  readonly issued: { name: string; text: string }[] = []
  readonly stored: unknown[] = []
  readonly told: unknown[] = []
  readonly #failing = new Set<string>()

  /** A store that records all its calls, and whose errors quote the arguments, as those of databases do. */
  readonly tokenStore = wrapStore(new MemoryTokenStore(), async ({ method, args, apply }) => {
    this.stored.push(structuredClone(args))
    if (this.#failing.has(method)) throw new Error(`${method}(${JSON.stringify(args)}) failed`)
    const result = await apply()
    if (method === 'deleteGrants') return this.#seen(result as AsyncIterable<Grant>)
    this.stored.push(structuredClone(result))
    return result
  })

  async *#seen(grants: AsyncIterable<Grant>): AsyncIterable<Grant> {
    for await (const grant of grants) {
      this.stored.push(structuredClone(grant))
      yield grant
    }
  }

  readonly onEvent = (event: CustomerSignInEvent) => this.told.push(event)

  fail(method: string): void {
    this.#failing.add(method)
  }

  recover(): void {
    this.#failing.clear()
  }

  /** Records the tokens and the errors of a response. */
  read<T extends Response>(response: T): T {
    const { access_token, refresh_token, ...rest } = response.body
    this.told.push(rest, response.headers)
    if (access_token) this.issued.push({ name: 'access token', text: access_token })
    if (refresh_token) this.issued.push({ name: 'refresh token', text: refresh_token })
    return response
  }
}

/** All forms in which a text can contain a secret. */
export function* formsOf({ name, text }: { name: string; text: string }): Generator<{ what: string; form: string }> {
  yield { what: name, form: text }
  if (name === 'access token') yield { what: `${name}'s signature`, form: text.split('.')[2] ?? '' }
  if (!/^csi[cr]_/.test(text)) return
  yield { what: `${name} without prefix`, form: text.slice(5) }
  const { handle, secret, expiry, tag } = takenApart(text)
  // The expiry by itself is not secret.
  for (const [part, bytes] of Object.entries({
    handle,
    secret,
    tag,
    whole: Buffer.concat([handle, secret, expiry, tag]),
  })) {
    yield { what: `${name}'s ${part} as hex`, form: bytes.toString('hex') }
    yield { what: `${name}'s ${part} as hex`, form: inspect(bytes).slice('<Buffer '.length, -1) }
    for (const encoding of ['base64', 'base64url'] as const) {
      for (const form of encodedAnywhere(bytes, encoding)) yield { what: `${name}'s ${part} as ${encoding}`, form }
    }
    yield { what: `${name}'s ${part} as bytes`, form: [...bytes].join(',') }
  }
}

/** The base64 characters that depend on these bytes only, for each position among other bytes. */
function encodedAnywhere(bytes: Buffer, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString(encoding)
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  })
}
