import type { Nemesis } from './nemesis'
import {
  fourteenSeconds,
  freezeServer,
  frozenShortly,
  killServer,
  leisurely,
  long,
  once,
  onlyOnce,
  short,
} from './server-faults'

/** The nemeses that stop Redis without losing anything that it has acknowledged. */
export const redisDown: Nemesis[] = [
  { name: 'redis-killed', on: 'redis', run: (stage, store) => killServer(stage, store, short) },
  {
    name: 'redis-killed-everysec',
    on: 'redis',
    setup: { args: ['--appendonly', 'yes', '--appendfsync', 'everysec'] },
    run: (stage, store) => killServer(stage, store, short),
  },
  {
    name: 'one-outage-leisurely-retries',
    on: 'redis',
    retry: leisurely,
    run: (stage, store) => onlyOnce(stage, (limited) => killServer(limited, store, once)),
  },
  { name: 'long-outages', on: 'redis', run: (stage, store) => killServer(stage, store, long) },
  {
    name: 'redis-frozen',
    on: 'redis',
    run: (stage, store) => freezeServer(stage, store, frozenShortly),
  },
  {
    name: 'redis-frozen-once-leisurely-retries',
    on: 'redis',
    retry: leisurely,
    run: (stage, store) => onlyOnce(stage, (limited) => freezeServer(limited, store, once)),
  },
  {
    name: 'redis-frozen-long',
    on: 'redis',
    run: (stage, store) => freezeServer(stage, store, fourteenSeconds),
  },
]
