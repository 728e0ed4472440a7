import { likeness } from './grants'
import type { CommandsResult } from './redis-commands'
import type { MemoryResult } from './redis-memory'
import type { ScaleResult } from './redis-scale'

export interface RedisResults {
  server: string
  node: string
  commands: CommandsResult[]
  memory: MemoryResult
  scale: ScaleResult[]
}

/** The results as Markdown. */
export function redisReport({ server, node, commands, memory, scale }: RedisResults): string {
  return `# What customer-sign-in costs a Redis server

Measured with \`npm run bench:redis\` on ${server} and ${node}, everything on one machine, without persistence.

## Commands of each request

The right column has what runs inside the script as well.

${table(
  ['Request', 'The host sends', '`INFO commandstats`'],
  commands.map(({ request, sent, executed }) => [request, listed(sent), listed(executed)]),
)}

## Memory of each active grant

${whole(memory.grants)} grants, each of another customer. A grant has a 40-character subject, the client \`${likeness.clientId}\`, the resource
\`${likeness.resource}\` and the scope \`${likeness.scope}\`.

${table(
  ['', 'Bytes for each grant (`used_memory`)'],
  [
    ['once its code is redeemed', whole(memory.bytesPerGrant)],
    [`after ${memory.rotations} rotations of each`, whole(memory.bytesPerGrantAfterRotations)],
  ],
)}

\`MEMORY USAGE\` counts ${memory.keys.grant} bytes for the key of a grant and ${memory.keys.index} for the index of its customer; the rest is the server's own tables.

## Cost of one swap

One server for each row, all asked in turn in each of many rounds. Times are microseconds, medians over the rounds; a ratio compares a row with the first
within a round. The first two rows measure the same: as far as they differ, all else may.

${table(
  [
    'Grants',
    'Host waits',
    'ratio',
    'Server CPU',
    'ratio',
    'of it to fetch the grant',
    'Server CPU under load',
    'Bytes for each grant',
  ],
  scale.map((row) => [
    whole(row.grants),
    whole(row.hostTime),
    row.hostRatio.toFixed(2),
    row.serverTime.toFixed(1),
    row.serverRatio.toFixed(2),
    row.fetchTime.toFixed(1),
    row.serverTimeUnderLoad.toFixed(1),
    row.grants < memory.grants ? '' : whole(row.bytesPerGrant),
  ]),
)}

The script does the same work in each row. What grows is the time to fetch a grant that is in no cache of the CPU.
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
