import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const [serverCore, loadCore] = allowedCores()

/** Whether servers and load can run on different cores here: that takes two cores, and the Linux command `taskset`. */
export const pinned = loadCore !== undefined && hasTaskset()

/** Moves this process, and every process that it starts from now on, off the core of the servers. */
export function moveToLoadCore(): void {
  if (pinned) taskset('--all-tasks', '--pid', '--cpu-list', `${loadCore}`, `${process.pid}`)
}

/** Starts something, and moves this process to the load's core again. What it has started stays on the core of the servers. */
export async function startOnServerCore<T>(start: () => Promise<T>): Promise<T> {
  if (pinned) taskset('--all-tasks', '--pid', '--cpu-list', `${serverCore}`, `${process.pid}`)
  try {
    return await start()
  } finally {
    moveToLoadCore()
  }
}

/** The options of `fork` that give a server a core of its own. @param flags Flags for its Node. */
export function onServerCore(flags: readonly string[] = []): { execPath?: string; execArgv: string[] } {
  if (!pinned) return { execArgv: [...flags] }
  return { execPath: 'taskset', execArgv: ['--cpu-list', `${serverCore}`, process.execPath, ...flags] }
}

/** The cores that this process may use; none if the system does not say. */
function allowedCores(): number[] {
  try {
    const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
    return list.split(',').flatMap((range) => {
      const [first = Number.NaN, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, index) => first + index)
    })
  } catch {
    return []
  }
}

function hasTaskset(): boolean {
  try {
    taskset('--version')
    return true
  } catch {
    return false
  }
}

function taskset(...args: string[]): void {
  execFileSync('taskset', args, { stdio: 'ignore' })
}
