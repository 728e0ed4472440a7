/** A request to a server's process: for the CPU time that it has used, for codes, or to start or end a profile. */
export type Order = 'cpu' | { issueCodes: number } | 'start profile' | 'end profile'

/** The microseconds spent in each function itself, named `file:line function`. The most expensive function comes first. */
export type Profile = [place: string, microseconds: number][]
