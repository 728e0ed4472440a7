import type { ChildProcess } from 'node:child_process'

/** The `stdio` of a forked process whose complaints {@link endedEarly} can show. */
export const withComplaints: ['ignore', 'inherit', 'pipe', 'ipc'] = ['ignore', 'inherit', 'pipe', 'ipc']

/** Rejects once a process has ended, with what it said on its standard error, for a race with what the process was started for. */
export function endedEarly(child: ChildProcess, name: string): Promise<never> {
  let complaints = ''
  child.stderr?.on('data', (chunk) => {
    complaints = (complaints + chunk).slice(-10_000)
  })
  const ended = new Promise<never>((_resolve, reject) => {
    // Unlike `exit`, it comes after the last output.
    child.once('close', (code, signal) => reject(new Error(`${name} ended with ${code ?? signal}:\n${complaints}`)))
  })
  // After the race, nobody waits for it.
  ended.catch(() => {})
  return ended
}
