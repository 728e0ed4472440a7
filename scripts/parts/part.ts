import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(__dirname, '../..')

/** A part of the gate or of the nightly: commands that run one after the other until one fails. */
export interface Part {
  name: string
  commands: readonly Command[]
  /** How long it may take before it counts as one that hangs. */
  minutes: number
  /** More environment variables. */
  env?: NodeJS.ProcessEnv
}

export type Command = readonly [program: string, ...args: string[]]

export interface Outcome {
  name: string
  /** Whether all commands ended with 0. */
  passed: boolean
  seconds: number
  /** What the commands printed, each below a line of its own. */
  output: string
}

const running = new Set<ChildProcess>()

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of running) end(child)
    process.exit(1)
  })
}

/** Runs a part. @param log The file to which its commands print. */
export async function run({ name, commands, minutes, env }: Part, log: string): Promise<Outcome> {
  const begin = performance.now()
  const file = openSync(log, 'w')
  const late = AbortSignal.timeout(minutes * 60_000)
  let passed = true
  for (const command of commands) passed &&= await succeeds(command, file, late, env)
  if (late.aborted) writeSync(file, `\nEnded after ${minutes} minutes.\n`)
  closeSync(file)
  const seconds = Math.round((performance.now() - begin) / 1000)
  return { name, passed, seconds, output: readFileSync(log, 'utf8') }
}

/** Runs one command in a process group of its own, so that it can be ended with all that it has started. */
async function succeeds([program, ...args]: Command, log: number, late: AbortSignal, env = {}): Promise<boolean> {
  writeSync(log, `\n$ ${[program, ...args].join(' ')}\n`)
  const child = spawn(program, args, {
    cwd: root,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', log, log],
  })
  running.add(child)
  const stop = () => end(child)
  late.addEventListener('abort', stop)
  const [status] = await once(child, 'exit')
  late.removeEventListener('abort', stop)
  running.delete(child)
  if (status !== 0) writeSync(log, `\nThe command above ended with status ${status}.\n`)
  return status === 0
}

function end({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}
