import { createHash } from 'node:crypto'
import * as http from 'node:http'
import * as https from 'node:https'

/** Who presents a token: the client that owns it, a second process of that client, a thief, or the check, to see whether a token lives. */
export type Actor = 'client' | 'other process' | 'thief' | 'probe'

/** One request and its answer. A token is named by a part of its hash. Times are milliseconds since the check began. */
export interface Exchange {
  by: Actor
  presented: string
  /** What is wrong with the request, so that it must be refused. */
  wrong?: string
  begun: number
  ended: number
  /** The status, or `lost` if the client did not see the answer. */
  answer: number | 'lost'
  error?: string
  /** The refresh token of the answer. A server that does not rotate gives none, or the same again. */
  gave?: string
}

/** A refresh token, and the client that it was given to. */
export interface Held {
  token: string
  clientId: string
  clientSecret?: string | undefined
}

export interface Presenting {
  by: Actor
  /** Parameters besides the usual ones, or in their place. */
  parameters?: Record<string, string>
  wrong?: string
  /** Where the connection breaks: when the request is sent, or when the answer begins. */
  cut?: 'request' | 'answer'
}

/** What the one who presented a token saw. */
export interface Seen {
  answer: number | 'lost'
  token?: string
}

const answerTimeout = 30_000
const longestAnswer = 64 * 1024

/** The token endpoint that is checked. Requests go to this address and nowhere else, and to it only so many. */
export class TokenEndpoint {
  readonly url: URL
  readonly #most: number
  readonly #parameters: Record<string, string>
  readonly #began = performance.now()
  sent = 0

  /**
   * @param most How many requests may be sent.
   * @param parameters Parameters of every request, such as `resource`.
   */
  constructor(url: URL, most: number, parameters: Record<string, string>) {
    this.url = url
    this.#most = most
    this.#parameters = parameters
  }

  /** Milliseconds since the check began. */
  now(): number {
    return Math.round(performance.now() - this.#began)
  }

  /** Presents a refresh token (RFC 6749 section 6), and adds the exchange to a history. */
  async present(history: Exchange[], held: Held, { by, parameters, wrong, cut }: Presenting): Promise<Seen> {
    if (++this.sent > this.#most)
      throw new Error(`The server needs more than the ${this.#most} requests that were announced`)
    const { token, clientId, clientSecret } = held
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: token,
      ...(clientSecret === undefined && { client_id: clientId }),
      ...this.#parameters,
      ...parameters,
    })
    const exchange: Exchange = { by, presented: nameOf(token), begun: this.now(), ended: 0, answer: 'lost' }
    if (wrong !== undefined) exchange.wrong = wrong
    history.push(exchange)
    const { status, text } = await this.#post(`${body}`, authorizationOf(held), cut)
    exchange.ended = this.now()
    if (status === undefined) return { answer: 'lost' }
    const { error, refresh_token: given } = jsonOf(text)
    exchange.answer = status
    if (typeof error === 'string') exchange.error = error.slice(0, 100)
    if (status !== 200) return { answer: status }
    const next = typeof given === 'string' ? given : token
    exchange.gave = nameOf(next)
    return { answer: status, token: next }
  }

  /** @returns Nothing if the connection broke. */
  #post(body: string, authorization: object, cut: Presenting['cut']): Promise<{ status?: number; text: string }> {
    const { request } = this.url.protocol === 'https:' ? https : http
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': Buffer.byteLength(body),
      Accept: 'application/json',
      ...authorization,
    }
    // Each request has a connection of its own, as those of two processes have.
    const options = { method: 'POST', agent: false, timeout: answerTimeout, headers } as const
    return new Promise((resolve) => {
      const sent = request(this.url, options, (res) => {
        if (cut === 'answer') return sent.destroy()
        let text = ''
        res.setEncoding('utf8')
        res.on('data', (chunk: string) => {
          text += chunk
          if (text.length > longestAnswer) sent.destroy()
        })
        res.on('end', () => resolve({ ...(res.statusCode && { status: res.statusCode }), text }))
      })
      sent.on('timeout', () => sent.destroy())
      sent.on('error', () => {})
      sent.on('close', () => resolve({ text: '' }))
      sent.end(body, () => {
        if (cut === 'request') sent.destroy()
      })
    })
  }
}

/** RFC 6749 section 2.3.1. */
function authorizationOf({ clientId, clientSecret }: Held): { Authorization?: string } {
  if (clientSecret === undefined) return {}
  const [id, secret] = [clientId, clientSecret].map((text) => new URLSearchParams({ '': text }).toString().slice(1))
  return { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }
}

function nameOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url').slice(0, 8)
}

function jsonOf(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
