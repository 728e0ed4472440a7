import type { ServerResponse } from 'node:http'

/**
 * Waits for a response to begin: template engines answer after the function that calls them has returned.
 *
 * @param timeout Milliseconds.
 * @returns Whether the response began in time, or the browser hung up, so that nothing is left to answer.
 */
export async function responseBegins(res: ServerResponse, timeout: number): Promise<boolean> {
  if (res.headersSent || res.closed) return true
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(res.headersSent), timeout)
    res.once('close', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
