/**
 * A request to a server's process: for the CPU time that it has used, for codes, to start or end a profile, for its {@link Times}, or to
 * collect its garbage and say its {@link Memory}.
 */
export type Order =
  | 'cpu'
  | { issueCodes: number; clientId: string }
  | 'start profile'
  | 'end profile'
  | 'times'
  | 'collect garbage'

/** The microseconds spent in each function itself, named `file:line function`. The most expensive function comes first. */
export type Profile = [place: string, microseconds: number][]

/** Microseconds of a process so far. */
export interface Times {
  /** The CPU time of all its threads. */
  cpu: number
  /** That of all threads except the main one: the helpers of the garbage collector, of the compiler, and the thread pool. */
  helpers: number
  /** How long the garbage collector has stopped the main thread, since this was asked for the first time. */
  pauses: number
}

/** Bytes of memory of a process. */
export interface Memory {
  /** All its memory (the resident set), before the collection. */
  rss: number
  /** What is in use on the heap of JavaScript, after the collection. */
  heapUsed: number
}
