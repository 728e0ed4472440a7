import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { collectGarbage, timesSoFar } from './collector'
import type { Contender, StartContender } from './contender'
import type { Order } from './order'
import { endProfile, startProfile } from './profiler'

/** Serves in this process, at any free port, and obeys the orders of the process that has started this one. */
export async function serve(start: StartContender, databasePort: number): Promise<void> {
  let handle: RequestListener = (_req, res) => res.writeHead(503).end()
  // No keep-alive timeout: a server waits while others have their turn.
  const server = createServer({ keepAliveTimeout: 0 }, (req, res) => handle(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const contender = await start(`http://127.0.0.1:${port}`, databasePort)
  handle = contender.handler
  process.on('disconnect', () => process.exit())
  process.on('message', (order: Order) => void obey(order, contender))
  process.send?.({ port, paths: contender.paths })
}

async function obey(order: Order, contender: Contender): Promise<void> {
  process.send?.(await answerTo(order, contender))
}

function answerTo(order: Order, contender: Contender): unknown {
  switch (order) {
    case 'cpu':
      return process.cpuUsage()
    case 'start profile':
      return startProfile().then(() => 'started')
    case 'end profile':
      return endProfile()
    case 'times':
      return timesSoFar()
    case 'collect garbage':
      return collectGarbage()
    default:
      return codesOf(contender, order.issueCodes, order.clientId)
  }
}

async function codesOf(contender: Contender, count: number, clientId: string): Promise<string[]> {
  const codes: string[] = []
  while (codes.length < count) {
    const some = Math.min(100, count - codes.length)
    codes.push(...(await Promise.all(Array.from({ length: some }, () => contender.issueCode(clientId)))))
  }
  return codes
}
