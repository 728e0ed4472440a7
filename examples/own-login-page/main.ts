import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHost } from './host'
import { authorizationUrl, walk } from './walk'

/** Waits for a browser. With `--once` it plays the browser and the client itself, and then ends. */
async function main(): Promise<void> {
  const server = createServer().listen(Number(process.env.PORT ?? 0), 'localhost')
  await once(server, 'listening')
  const host = `http://localhost:${(server.address() as AddressInfo).port}`
  server.on('request', createHost(host))
  if (!process.argv.includes('--once')) {
    process.stdout.write(
      `A client would send the customer's browser here (Ctrl+C ends the example):\n${authorizationUrl(host)}\n`,
    )
    return
  }
  try {
    await walk(host)
    process.stdout.write('Every step went as it should.\n')
  } finally {
    server.close().closeAllConnections()
  }
}

main().catch((surprise) => {
  process.stderr.write(`\nThat was not expected: ${surprise.stack}\n`)
  process.exitCode = 1
})
