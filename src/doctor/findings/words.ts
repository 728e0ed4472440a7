/** `wrong`: an assistant cannot connect, or not every one. `warning`: it works, but not as it should. */
export type Level = 'wrong' | 'warning'

/** The words of a finding. What stands in braces is filled in. */
export interface Words {
  level: Level
  says: string
  remedy: string
}
