import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CustomerSignInEvent } from 'customer-sign-in'
import { createHost } from './host'
import { walk } from './walk'
import { print } from './wire'

/** Serves whatever client comes; with `--once` it is the client itself, and ends there. */
async function main(): Promise<void> {
  if (process.argv.includes('--once')) return walkOnce()
  const server = await listen(Number(process.env.PORT ?? 3000))
  // For clients elsewhere: the public https address that leads here.
  const host = process.env.BASE_URL ?? originOf(server)
  server.on('request', createHost(host, showEvent))
  process.stdout.write(`The MCP server of Acme Air, whose address you paste into a client:
   ${host}/v1/acme/mcp
What a customer has connected there:
   ${host}/v1/acme/assistants
Globex Hotels has the same at /v1/globex. Ctrl+C ends it. What happens:
`)
}

async function walkOnce(): Promise<void> {
  const server = await listen(0)
  server.on(
    'request',
    createHost(originOf(server), () => {}),
  )
  try {
    await walk(originOf(server))
    process.stdout.write('\nEvery step went as it should.\n')
  } finally {
    server.close().closeAllConnections()
  }
}

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, 'localhost')
  await once(server, 'listening')
  return server
}

function originOf(server: Server): string {
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

function showEvent(event: CustomerSignInEvent): void {
  print(`${event.type} at ${event.tenantKey}: ${aboutEvent(event)}`)
}

function aboutEvent(event: CustomerSignInEvent): string {
  if (event.type === 'error') return `${event.where}, ${event.error.message}`
  if (event.type === 'denied') return `${event.where}, ${event.description}`
  return 'subject' in event ? `${event.subject}, client ${event.clientId}` : `client ${event.clientId}`
}

main().catch((surprise) => {
  process.stderr.write(`\nThat was not expected: ${surprise.stack}\n`)
  process.exitCode = 1
})
