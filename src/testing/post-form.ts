import { createServer, type IncomingMessage, request } from 'node:http'
import { duplexPair } from 'node:stream'
import { json } from 'node:stream/consumers'
import type { Handler } from '../router'

/** A response with a JSON body. */
export interface JsonResponse {
  status: number
  body: Record<string, unknown>
}

/**
 * Sends a form to a handler as a client does: over HTTP, but in memory. No port is opened, and nothing is left open.
 *
 * @param url The address that the client sends it to.
 */
export async function postForm(handler: Handler, url: string, form: Record<string, string>): Promise<JsonResponse> {
  const { host, pathname } = new URL(url)
  const body = new URLSearchParams(form).toString()
  const headers = {
    host,
    connection: 'close',
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': Buffer.byteLength(body),
  }
  const [client, server] = duplexPair()
  createServer((req, res) => handler(req, res)).emit('connection', server)
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ createConnection: () => client, method: 'POST', path: pathname, headers }, resolve)
        .once('error', reject)
        .end(body)
    })
    return { status: response.statusCode ?? 0, body: (await json(response)) as Record<string, unknown> }
  } finally {
    client.destroy()
    server.destroy()
  }
}
