import type { Nemesis, Stage } from './nemesis'

const nothing = ({ sleep }: Stage) => sleep(Number.POSITIVE_INFINITY)

/** Breaks nothing. A finding of the checker is a fault of the library or of the checker. */
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
