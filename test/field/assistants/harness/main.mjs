// Runs a client that others wrote, in a process of its own, and does what the test says: `call` calls the tool this many times at once.
const { CLIENT, SERVER, ISSUER, FOLDER } = process.env

let visited = () => {}

/** Has the test open an authorization URL in the customer's browser. @returns Where the browser ends. */
function authorize(url) {
  return new Promise((resolve) => {
    visited = resolve
    process.send({ authorize: String(url) })
  })
}

let client

process.on('message', async (message) => {
  if ('visited' in message) return visited(new URL(message.visited))
  const calls = Array.from({ length: message.call }, (_, index) => client.callTool(index))
  const results = await Promise.allSettled(calls)
  process.send({ results: results.map(({ value, reason }) => (reason ? { error: String(reason) } : { text: value })) })
})
// Ends the processes that it has started, too.
for (const event of ['disconnect', 'SIGTERM']) process.on(event, () => process.exit())

const { start } = await import(`./${CLIENT}.mjs`)
client = await start({ server: SERVER, issuer: ISSUER, folder: FOLDER, authorize })
process.send({ started: true })
