/** What a server's process is asked for: the CPU time that it has used, codes, or a profile of what it does in between. */
export type Order = 'cpu' | { issueCodes: number } | 'start profile' | 'end profile'

/** How many microseconds were spent in each function itself, as `file:line function`; in the order of their cost. */
export type Profile = [place: string, microseconds: number][]
