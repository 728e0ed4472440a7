import type { IncomingMessage, ServerResponse } from 'node:http'

/** Whether nobody waits for the response any more. */
export function hasHungUp({ socket }: IncomingMessage, res: ServerResponse): boolean {
  return res.closed || socket.destroyed || socket.readableEnded
}
