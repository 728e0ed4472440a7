/** A database server of the benchmark's own. */
export interface Database {
  readonly port: number
  /** The CPU time that it has used, in microseconds: all of its processes, network and all. */
  usedCpu(): Promise<number>
  /** How often each command, or statement, was sent to it during `work`. */
  sentDuring(work: () => Promise<unknown>): Promise<Record<string, number>>
  /** The bytes of memory that it has allocated, if it keeps its records there. */
  usedMemory?(): Promise<number>
  stop(): Promise<void>
}
