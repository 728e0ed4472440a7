import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** Sends a whole response. Not in one chain of calls: Restify's `writeHead` returns nothing. */
export function sendResponse(res: ServerResponse, status: number, headers: OutgoingHttpHeaders, body?: string): void {
  res.writeHead(status, headers)
  res.end(body)
}
