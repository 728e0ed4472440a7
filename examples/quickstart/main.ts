import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHost } from './host'
import { authorizeUrl, callback, commands } from './try-it'
import { print, showEvent } from './wire'

/** Starts a host and a client, walks through every step, and keeps serving. With `--once` it ends after the last step. */
async function main(): Promise<void> {
  const host = await listen(Number(process.env.PORT ?? 0))
  const client = await listen()
  const addresses = { host: originOf(host), redirectUri: `${originOf(client)}/callback` }
  host.on('request', createHost(addresses.host, showEvent))
  client.on('request', callback(addresses))
  const stop = () => {
    for (const server of [host, client]) server.close().closeAllConnections()
  }

  try {
    // The client library is an ES module, so the client is one too.
    const { walk } = await import('./client.mjs')
    const connection = await walk(addresses.host, addresses.redirectUri)
    print('\nEvery step went as it should.')
    if (process.argv.includes('--once')) return stop()
    print('The host keeps running until you press Ctrl+C. Try')
    for (const { shows, command } of commands(addresses, connection)) print(`\n# ${shows}\n${command}`)
    print(`\nor press Allow in a browser:\n${authorizeUrl(addresses)}`)
  } catch (surprise) {
    stop()
    throw surprise
  }
}

/** Listens on a loopback port; 0 means any free port. */
function listen(port = 0): Promise<Server> {
  const server = createServer()
  return new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', () => resolve(server)))
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

main().catch((surprise) => {
  process.stderr.write(`\nThat was not expected: ${surprise.stack}\n`)
  process.exitCode = 1
})
