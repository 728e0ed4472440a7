import { likeness } from '../grants'
import type { CommandsResult } from './commands'
import type { LogResult } from './log'
import type { MemoryResult } from './memory'
import type { ScaleResult } from './scale'
import type { ScanResult } from './scan'

export interface RedisResults {
  server: string
  node: string
  commands: CommandsResult[]
  memory: MemoryResult
  log: LogResult
  scan: ScanResult
  scale: ScaleResult[]
}

/** The results as Markdown. */
export function redisReport({ server, node, commands, memory, log, scan, scale }: RedisResults): string {
  return `# What customer-sign-in costs a Redis server

Measured with \`npm run bench -- redis\` on ${server} and ${node}, all on one machine, over loopback.

## Commands of each request

The right column also counts the commands inside the script.

${table(
  ['Request', 'The host sends', '`INFO commandstats`'],
  commands.map(({ request, sent, executed }) => [request, listed(sent), listed(executed)]),
)}

## Memory of each active grant

${whole(memory.grants)} grants with a 40-character subject, the client \`${likeness.clientId}\`, the resource
\`${likeness.resource}\` and the scopes \`${likeness.scopes.join(' ')}\`.

${table(
  ['', 'Bytes for each grant (`used_memory`), including the index'],
  [
    ['one grant for each customer, its code redeemed', whole(memory.bytesPerGrant)],
    [`after ${memory.rotations} rotations of each`, whole(memory.bytesPerGrantAfterRotations)],
    ['three grants for each customer', whole(memory.bytesPerGrantOfThree)],
  ],
)}

\`MEMORY USAGE\` counts ${memory.keys.grant} bytes for the key of a grant and ${memory.keys.index} for the index of its customer; the rest is the server's own tables.

## Size of the append-only file

${table(
  ['', 'Bytes of the append-only file'],
  [
    ['a sign-in: a code issued and redeemed', whole(log.perSignIn)],
    ['a refresh', whole(log.perSwap)],
    ['an active grant, after the file is rewritten', whole(log.perGrantRewritten)],
  ],
)}

## Going through a whole store

One pass takes ${whole(scan.perGrant)} microseconds for each grant of the tenant and ${scan.perOtherKey.toFixed(1)} for every other key.
\`grants.revokeAll\` of a client makes two passes or more.

## Cost of one swap

Each row has its own server. Each of many rounds measures all of them in turn. Times are microseconds, medians over the rounds. A ratio compares a row with
the first row of the same round. The first two rows measure the same, so the difference between them is the noise of all rows.

${table(
  [
    'Grants',
    'Host waits',
    'ratio',
    'Script on the server',
    'ratio',
    'time in it to fetch the grant',
    'CPU of the whole server under load',
    'Bytes for each grant',
  ],
  scale.map((row) => [
    whole(row.grants),
    whole(row.hostTime),
    row.hostRatio.toFixed(2),
    row.serverTime.toFixed(1),
    row.serverRatio.toFixed(2),
    row.fetchTime.toFixed(1),
    row.serverCpuUnderLoad.toFixed(1),
    row.grants < memory.grants ? '' : whole(row.bytesPerGrant),
  ]),
)}

The script does the same work in each row. Only the time to fetch a grant grows, because the grant is in no cache of the CPU.
`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

function listed(counted: Record<string, number>): string {
  const sorted = Object.entries(counted).sort(([a], [b]) => a.localeCompare(b))
  return sorted.map(([command, times]) => `${Number(times.toFixed(2))} ${command}`).join(', ')
}

function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
}
