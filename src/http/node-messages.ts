import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { setImmediate } from 'node:timers/promises'
import { withinTime } from '../host/call-host'

/** A request of `node:http`, or of the compatibility API of `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/** A response of `node:http`, or of the compatibility API of `node:http2`. */
export type NodeResponse = ServerResponse | Http2ServerResponse

/**
 * Whether the client has closed its connection.
 *
 * A process that was paused finds requests whose clients left long ago, and reads the request before the end of the connection. So this
 * waits until everything that has arrived is read: one turn of the event loop for what is at hand, and one for what came behind it.
 */
export async function hasHungUp({ socket }: IncomingMessage, res: ServerResponse): Promise<boolean> {
  await setImmediate()
  await setImmediate()
  return res.closed || socket.destroyed || socket.readableEnded
}

/**
 * Waits for a response to begin: template engines answer after the function that calls them has returned.
 *
 * @param timeout Milliseconds.
 * @returns Whether the response began in time, or the browser hung up, so that nothing is left to answer.
 */
export async function responseBegins(res: MaybeHttp2Response, timeout: number): Promise<boolean> {
  // In HTTP/2 only the stream of a response knows that it has ended, or that its client has gone.
  if (res.headersSent || (res.stream?.destroyed ?? res.closed)) return true
  const closed = new Promise<boolean>((resolve) => res.once('close', () => resolve(true)))
  return withinTime(closed, timeout, () => res.headersSent)
}

type MaybeHttp2Response = ServerResponse & { stream?: Http2ServerResponse['stream'] | undefined }
