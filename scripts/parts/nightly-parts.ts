import { onNode } from './other-node'
import type { Command, Part } from './part'

/** A part of the nightly. */
export interface NightlyPart extends Part {
  /** The folders and files whose changes it may notice, as `git diff` takes them. */
  reach: readonly string[]
  /** What it prints if it must go on in another run. */
  unfinished?: RegExp
}

const servers = ['scripts/redis-process.ts', 'scripts/postgres-process.ts']

// They mostly wait. More at a time would make each other's pictures late.
const games: Command = ['npx', 'jest', 'test/field/browser/games', '--maxWorkers=3']
const reachOfGames = [
  ...['src/pages', 'src/pages-to-mount', 'src/endpoints', 'test/field/browser'],
  ...['test/support/display.ts', 'test/support/engines.ts'],
]

/** What takes too long for the gate. The longest come first, as they begin only if their time is left. */
export const nightlyParts: readonly NightlyPart[] = [
  {
    name: 'games of twenty',
    commands: [games],
    env: { GAMES: '20', GAMES_IN: 'Chromium' },
    minutes: 58,
    reach: reachOfGames,
  },
  {
    name: 'games in other engines',
    commands: [games],
    env: { GAMES: '20', GAMES_IN: 'Firefox,WebKit' },
    minutes: 40,
    reach: reachOfGames,
  },
  ...['redis', 'postgres'].map((store) => ({
    name: `histories of ${store}`,
    commands: [tsx('test/faults/histories/main.ts', '--store', store)],
    minutes: 25,
    reach: ['src', 'test/faults/histories', 'test/support', ...servers],
  })),
  {
    name: 'explorer',
    commands: [tsx('test/faults/interleavings/main.ts')],
    minutes: 45,
    reach: ['src', 'test/faults/interleavings'],
  },
  ...['20.19.0', '22', '24', '26'].map((version) => ({
    ...onNode(version, {
      name: `suite on Node ${version}`,
      commands: [['npm', 'test'], lane('stores'), lane('hosts')],
      minutes: 30,
    }),
    reach: [
      'src',
      'test/unit',
      'test/docs',
      'test/faults',
      ':!test/faults/histories',
      ':!test/faults/interleavings',
      'test/support',
      'examples',
      'package-lock.json',
      'jest.config.js',
    ],
  })),
  {
    name: 'bench',
    commands: [
      ['npm', 'run', 'bench', '--', '--quick', '--node', '24,26'],
      ...['endurance', 'growth', 'telemetry', 'size', 'redis', 'postgres'].map((name) => benchmark(name)),
      benchmark('postgres', '--hour'),
    ],
    minutes: 20,
    reach: ['src', 'bench', ...servers],
  },
  {
    name: 'mutants',
    // Of all files that have changed since their mutants were run. A file that is new runs by hand: npm run mutation -- FILE
    commands: [tsx('test/mutation/main.mts', '--changed', '--minutes', '25')],
    minutes: 30,
    unfinished: /the time was up before/,
    reach: ['src', 'test/mutation', ':!test/mutation/results.json', ':!test/mutation/README.md'],
  },
  {
    name: 'languages',
    commands: [['bash', 'scripts/setup.sh', 'clients'], lane('languages')],
    minutes: 20,
    reach: ['src', 'docs/other-clients.md', 'test/field/other-clients'],
  },
  {
    name: 'frameworks',
    commands: [
      ['npm', 'ci', '--prefix', 'test/field/frameworks', '--ignore-scripts', '--no-audit', '--no-fund'],
      lane('frameworks'),
    ],
    minutes: 20,
    reach: ['src', 'docs/hosts.md', 'examples/hosts', 'test/field/frameworks'],
  },
]

/** In its brief form. It must have been built. */
function benchmark(name: string, ...options: string[]): Command {
  return ['node', 'bench/dist/bench/run.js', name, '--quick', ...options]
}

function lane(name: string): Command {
  return ['npm', 'run', 'test:field', '--', name]
}

function tsx(script: string, ...args: string[]): Command {
  return ['npx', 'tsx', script, ...args]
}
