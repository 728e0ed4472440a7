import type { WireCommand, WireProtocol } from './server-proxy'

// What the functions of the store's schema are called that change something, and the statement.
const writes = [
  ...['create_grant', 'swap_credential', 'reverse_swap', 'delete'],
  ...['save_client', 'touch_client', 'touch_client_in_use', 'delete_client', 'use_once'],
]

/**
 * How clients of PostgreSQL send commands (protocol version 3). A command is a simple query, or an extended query with all messages up
 * to its `Sync`. Its name is that of the function that it calls, without schema, or the first word of the statement.
 */
export const postgresWire: WireProtocol = {
  reader: () => {
    let started = false
    return (sent) => {
      const commands: WireCommand[] = []
      let rest = sent
      for (;;) {
        const command = started ? firstCommand(rest) : startupOf(rest)
        if (!command) return { commands, rest }
        started = true
        commands.push(command)
        rest = rest.subarray(command.bytes.length)
      }
    }
  },
  isWrite: (name) => writes.includes(name),
}

// The first message has no byte that says its type.
function startupOf(sent: Buffer): WireCommand | undefined {
  const message = firstMessage(sent, 0)
  return message && { name: 'startup', ...message }
}

function firstCommand(sent: Buffer): WireCommand | undefined {
  let offset = 0
  let name = 'other'
  for (;;) {
    const message = firstMessage(sent.subarray(offset), 1)
    if (!message) return undefined
    offset += message.bytes.length
    const type = String.fromCharCode(message.bytes[0] ?? 0)
    if (type === 'Q') name = nameOf(message.bytes.toString('utf8', 5))
    // The name of the prepared statement comes first.
    if (type === 'P') name = nameOf(message.bytes.toString('utf8', message.bytes.indexOf(0, 5) + 1))
    if (type === 'p') name = 'password'
    if (type === 'X') name = 'terminate'
    if (['Q', 'S', 'X', 'p'].includes(type)) return { name, bytes: sent.subarray(0, offset) }
  }
}

function nameOf(sql: string): string {
  const [, called] = /^\s*select\b[^(]*?(\w+)"?\s*\(/i.exec(sql) ?? []
  return (called ?? /\w+/.exec(sql)?.[0] ?? 'other').toLowerCase()
}

/** @param at Where its length stands, which counts itself. */
function firstMessage(sent: Buffer, at: number): { bytes: Buffer } | undefined {
  if (sent.length < at + 4) return undefined
  const end = at + sent.readInt32BE(at)
  return sent.length < end ? undefined : { bytes: sent.subarray(0, end) }
}
