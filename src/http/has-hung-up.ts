import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'

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
