import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import { withinTime } from '../host/call-host'

/**
 * Waits for a response to begin: template engines answer after the function that calls them has returned.
 *
 * @param timeout Milliseconds.
 * @returns Whether the response began in time, or the browser hung up, so that nothing is left to answer.
 */
export async function responseBegins(res: ServerResponse, timeout: number): Promise<boolean> {
  if (res.headersSent || isClosed(res)) return true
  const closed = new Promise<boolean>((resolve) => res.once('close', () => resolve(true)))
  return withinTime(closed, timeout, () => res.headersSent)
}

/** Whether the response has ended or its client has gone. In HTTP/2 only the stream of a response knows that. */
function isClosed(res: ServerResponse & { stream?: Http2ServerResponse['stream'] }): boolean {
  return res.stream?.destroyed ?? res.closed
}
