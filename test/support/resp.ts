import type { WireProtocol } from './server-proxy'

/** How clients of Redis send commands: the scripts and the deletions are writes. */
export const resp: WireProtocol = {
  reader: () => takeCommands,
  isWrite: (name) => ['evalsha', 'eval', 'del'].includes(name),
}

/** A command as a Redis client sends it: a RESP array of bulk strings. */
export interface RespCommand {
  name: string
  args: string[]
  bytes: Buffer
}

/** Removes the complete commands from the beginning of the bytes that a client has sent. */
export function takeCommands(sent: Buffer): { commands: RespCommand[]; rest: Buffer } {
  const commands: RespCommand[] = []
  let rest = sent
  for (let command = firstCommand(rest); command; command = firstCommand(rest)) {
    commands.push(command)
    rest = rest.subarray(command.bytes.length)
  }
  return { commands, rest }
}

function firstCommand(sent: Buffer): RespCommand | undefined {
  const words: string[] = []
  const header = lineAt(sent, 0)
  if (!header) return undefined
  let offset = header.end
  for (let left = Number(header.text.slice(1)); left > 0; left--) {
    const length = lineAt(sent, offset)
    if (!length) return undefined
    const end = length.end + Number(length.text.slice(1))
    if (sent.length < end + 2) return undefined
    words.push(sent.toString('utf8', length.end, end))
    offset = end + 2
  }
  const [name = '', ...args] = words
  return { name: name.toLowerCase(), args, bytes: sent.subarray(0, offset) }
}

function lineAt(bytes: Buffer, offset: number): { text: string; end: number } | undefined {
  const end = bytes.indexOf('\r\n', offset)
  return end < 0 ? undefined : { text: bytes.toString('latin1', offset, end), end: end + 2 }
}
