import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'

/**
 * Whether nobody waits for the response any more.
 *
 * A process that was paused finds requests whose clients have gone long ago, and the end of a connection lies behind the request. So all
 * that has arrived is read first: what is at hand in this turn of the event loop, and what lay behind that in the next one.
 */
export async function hasHungUp({ socket }: IncomingMessage, res: ServerResponse): Promise<boolean> {
  await setImmediate()
  await setImmediate()
  return res.closed || socket.destroyed || socket.readableEnded
}
