import { Agent, request } from 'node:http'
import type { Answer } from '../history'

export interface HttpRequest {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface HttpAnswer {
  answer: Answer
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON a server answers
  body: any
  /** What the next proof of a key must have. */
  nonce?: string | undefined
}

// The timeout of a client whose user is waiting.
const timeout = 3000
const agent = new Agent({ keepAlive: true })

/** Sends a request to a loopback port. It never rejects; a response that is cut off counts as lost. */
export function send(port: number, { method, path, headers, body }: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve) => {
    const settle = (answer: Answer, json: unknown = undefined, nonce?: string) => {
      clearTimeout(timer)
      resolve({ answer, body: json, nonce })
    }
    const lengths = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) }
    const options = { host: '127.0.0.1', port, method, path, agent, headers: { ...lengths, ...headers } }
    const sent = request(options, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk) => chunks.push(chunk))
      res.on('error', () => settle('lost'))
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const nonce = res.headers['dpop-nonce']
        settle(res.complete ? (res.statusCode ?? 'lost') : 'lost', parsed(text), nonce && String(nonce))
      })
    })
    const timer = setTimeout(() => {
      settle('timeout')
      sent.destroy()
    }, timeout)
    sent.on('error', () => settle('lost'))
    sent.end(body)
  })
}

/** Closes the keep-alive connections. */
export function hangUp(): void {
  agent.destroy()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
