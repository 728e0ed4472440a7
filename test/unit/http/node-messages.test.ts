import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { hasHungUp, responseBegins } from '../../../src/http/node-messages'
import { HostApp } from '../../support/host-app'

let host: HostApp
afterEach(() => host.stop())

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

/** Sends two requests on one connection, of which the first is never answered. Returns the second, as the server has it. */
async function waitingBehindAnother() {
  let arrive: (arrived: { req: IncomingMessage; res: ServerResponse }) => void
  const arrived = new Promise<{ req: IncomingMessage; res: ServerResponse }>((resolve) => {
    arrive = resolve
  })
  host = await HostApp.start(() => (req, res) => {
    if (req.url === '/second') arrive({ req, res })
  })
  const client = connect(Number(new URL(host.origin).port), '127.0.0.1')
  client.on('error', () => {})
  client.write(get('/first') + get('/second'))
  return { client, ...(await arrived) }
}

describe('a client that has sent a request behind another one', () => {
  it.each<[string, (client: Socket) => void]>([
    ['closes', (client) => client.end()],
    ['resets', (client) => client.resetAndDestroy()],
  ])('has hung up once it %s the connection, and not before', async (_, leave) => {
    const { client, req, res } = await waitingBehindAnother()
    expect(await hasHungUp(req, res)).toBe(false)
    const closed = new Promise((resolve) => req.socket.once('close', resolve))
    leave(client)
    await closed
    expect(await hasHungUp(req, res)).toBe(true)
  })
})

describe('a response', () => {
  it.each([true, false])('that has sent its headers when the time is up has begun: %s', async (sends) => {
    const outcomes: Promise<boolean>[] = []
    host = await HostApp.start(() => (_req, res) => {
      outcomes.push(responseBegins(res, 50).finally(() => res.end()))
      if (sends) res.flushHeaders()
    })
    await fetch(host.origin).then((answer) => answer.text())
    expect(await Promise.all(outcomes)).toEqual([sends])
  })
})
