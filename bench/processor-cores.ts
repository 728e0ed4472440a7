import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

const serverCore = 0
const loadCore = 1

/** Whether servers and load can be kept apart here: it takes two cores, and `taskset` of Linux. */
export const pinned = availableParallelism() > 1 && hasTaskset()

/** Keeps this process, and all that it starts from now on, off the core of the servers. */
export function moveToLoadCore(): void {
  if (pinned) taskset('--all-tasks', '--pid', '--cpu-list', `${loadCore}`, `${process.pid}`)
}

/** How to fork a server so that it has its core for itself. */
export function onServerCore(): { execPath?: string; execArgv?: string[] } {
  if (!pinned) return {}
  return { execPath: 'taskset', execArgv: ['--cpu-list', `${serverCore}`, process.execPath] }
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
