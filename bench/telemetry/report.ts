import type { TelemetryOptions, TelemetryRow } from './measure'

export interface TelemetryResults extends TelemetryOptions {
  /** The name and version of the Redis servers. */
  redis: string
  node: string
  processor: string
  /** Whether the servers and the load were on different cores. */
  pinned: boolean
  rows: TelemetryRow[]
}

/** The results as Markdown. */
export function telemetryReport({ redis, node, processor, pinned, rounds, rows }: TelemetryResults): string {
  const cores = pinned
    ? 'The servers had one core, and the load and the Redis servers another.'
    : 'The servers and the load shared their cores, so the times are too long.'
  return `# What it costs to listen to customer-sign-in

Measured with \`npm run bench -- telemetry\` on ${processor}, ${node} and ${redis}, over loopback. ${cores} ${rounds} rounds measured all servers in turn.

## CPU time of a refresh by who listens

Microseconds of the server, on \`node:http\`, over all rounds together. The first two rows measure the same, so the difference between them is
the noise of all rows.

| who listens | CPU µs | ratio to nobody | half of the rounds |
|---|---|---|---|
${rows.map(line).join('\n')}
`
}

function line({ listening, cpu_us, ratio, low, high }: TelemetryRow): string {
  return `| ${listening} | ${cpu_us.toFixed(0)} | ${ratio.toFixed(3)} | ${low.toFixed(2)} to ${high.toFixed(2)} |`
}
