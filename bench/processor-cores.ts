import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const maxTries = 10

const [serverCore, loadCore] = allowedCores()

/** Whether servers and load can run on different cores here: that takes two cores, and the Linux command `taskset`. */
export const pinned = loadCore !== undefined && hasTaskset()

/** Moves this process, and every process that it starts from now on, off the core of the servers. */
export function moveToLoadCore(): void {
  if (pinned) moveTo(loadCore)
}

/** Starts something, and moves this process to the load's core again. What it has started stays on the core of the servers. */
export async function startOnServerCore<T>(start: () => Promise<T>): Promise<T> {
  if (pinned) moveTo(serverCore)
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

/** Moves all threads of this process. */
function moveTo(core: number | undefined): void {
  for (let tries = 1; ; tries++) {
    try {
      taskset('--all-tasks', '--pid', '--cpu-list', `${core}`, `${process.pid}`)
      return
    } catch (error) {
      // A thread that ends between the list of threads and its turn is an error of taskset.
      if (tries === maxTries) throw error
    }
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
