// What the example uses of it. Node 20, whose types this repository has, has no SQLite.
declare module 'node:sqlite' {
  export class DatabaseSync {
    constructor(path: string)
    exec(sql: string): void
    prepare(sql: string): { all(...values: (string | number)[]): Record<string, unknown>[] }
  }
}
