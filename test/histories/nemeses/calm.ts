import type { Nemesis, Stage } from './nemesis'

const nothing = ({ sleep }: Stage) => sleep(Number.POSITIVE_INFINITY)

/** Nothing is broken: whatever the checker finds here is wrong in the library or in the checker. */
export const calm: Nemesis[] = [
  { name: 'calm', on: 'any store', run: nothing },
  { name: 'calm-no-window', on: 'any store', signIn: { refreshRetryWindow: 0 }, run: nothing },
  {
    name: 'calm-short-window',
    on: 'any store',
    signIn: { refreshRetryWindow: 5, replayTolerance: 2 },
    run: nothing,
  },
]
