import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** What a command has printed, and how it has ended. */
export interface Ran {
  status: number | null
  stdout: string
  stderr: string
}

export const commandPath = join(__dirname, '../../dist/commands/cli.js')

/** Runs the built command `customer-sign-in`. */
export async function runCommand(args: string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const child = spawn(process.execPath, [commandPath, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { status: child.exitCode, stdout, stderr }
}
