import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CustomerSignInEvent } from 'customer-sign-in'
import { walkAtEnterprise } from './enterprise-walk'
import { createHost } from './host'
import { walk } from './walk'
import { print } from './wire'

/** Waits for any client. With `--once` it plays the client itself, and then ends. */
async function main(): Promise<void> {
  if (process.argv.includes('--once')) return walkOnce()
  const server = await listen(Number(process.env.PORT ?? 3000))
  // For clients on other machines: the public https address of this server.
  const host = process.env.BASE_URL ?? originOf(server)
  server.on('request', createHost(host, showEvent))
  process.stdout.write(`Paste the address of Acme Air's MCP server into a client:
   ${host}/v1/acme/mcp
How to do that, for its customers:
   ${host}/v1/acme/connect
The apps that a customer has connected:
   ${host}/v1/acme/apps
What the staff of Acme Air look after, for who logs in as Sam:
   ${host}/v1/acme/admin
Globex Hotels has the same at /v1/globex, whose staff is Kim. Ctrl+C ends the example. Events:
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
    await walkAtEnterprise(originOf(server))
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
  print(`${event.type} at ${event.tenantKey ?? event.tenantId}: ${aboutEvent(event)}${byActor(event)}`)
}

function aboutEvent(event: CustomerSignInEvent): string {
  if (event.type === 'error') return `${event.where}, ${event.error.message}`
  if (event.type === 'denied') return `${event.where}, ${event.description}`
  return 'subject' in event ? `${event.subject}, client ${event.clientId}` : `client ${event.clientId}`
}

/** Who has made the call, where somebody of the staff has. */
function byActor(event: CustomerSignInEvent): string {
  return 'actor' in event && event.actor !== undefined ? `, by ${event.actor}` : ''
}

main().catch((surprise) => {
  process.stderr.write(`\nThat was not expected: ${surprise.stack}\n`)
  process.exitCode = 1
})
