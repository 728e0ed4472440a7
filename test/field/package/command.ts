import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a command to its end. @returns What it printed. @throws What it printed, if the command fails. */
export async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  try {
    const { stdout } = await execute(command, args, { cwd, maxBuffer: 2 ** 26 })
    return stdout
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string }
    throw new Error(`${message}\n${stdout ?? ''}\n${stderr ?? ''}`)
  }
}

/** Runs JavaScript with the version of Node that runs the tests. */
export function runNode(args: readonly string[], cwd: string): Promise<string> {
  return run(process.execPath, args, cwd)
}

/** Runs a command line tool that is installed in a folder. */
export function runTool(name: string, args: readonly string[], cwd: string, installedIn = cwd): Promise<string> {
  return runNode([join(installedIn, 'node_modules/.bin', name), ...args], cwd)
}
