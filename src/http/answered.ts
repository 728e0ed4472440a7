import type { ServerResponse } from 'node:http'

/**
 * Whether a response begins within so many milliseconds: template engines answer later than the function that calls them. A browser that
 * has hung up waits for none.
 */
export async function answered(res: ServerResponse, milliseconds: number): Promise<boolean> {
  if (res.headersSent || res.closed) return true
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(res.headersSent), milliseconds)
    res.once('close', () => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
