import { type Actor, type Fault, type Scenario, theKey } from './scenario'

const client: Actor = { name: 'the client', does: 'redeem', jar: 'client', isHonest: true, at: ['A', 'B'] }
const twin: Actor = { ...client, name: 'its other request', at: ['B'] }
const thief: Actor = { name: 'the thief', does: 'redeem', jar: 'thief', at: ['B'] }
const keyHolder: Actor = { ...client, key: theKey }
const keyTwin: Actor = { ...twin, key: theKey }
const keyless: Actor = { ...thief, name: 'the thief without a key', at: ['B', 'A'] }
const otherKeyHolder: Actor = { ...thief, name: 'the thief with another key', jar: "the thief's", key: 'another key' }
const stranger: Actor = { name: 'another client', does: 'redeem as another client', jar: 'stranger', at: ['A'] }
const revoker: Actor = { name: 'the revoker', does: 'revoke', jar: 'revoker', at: ['B'] }
const administrator: Actor = { name: 'the administrator', does: 'end all grants', jar: '', at: ['A'] }
const newcomer: Actor = { name: 'the new sign-in', does: 'sign in again', jar: 'new', at: ['B'] }

const minter: Actor = { name: 'the assistant', does: 'mint', jar: 'assistant', at: ['A', 'A'] }
const otherMinter: Actor = { ...minter, name: 'its other process', jar: 'other', at: ['B'] }
const ender: Actor = { name: 'the customer', does: 'end the grant', jar: '', at: ['B'] }

const mover: Actor = { name: 'the mover', does: 'move', jar: '', at: ['B'] }

const ofStore: Fault[] = ['answer', 'late']
const ofAll: Fault[] = [...ofStore, 'kill', 'response']

/** One refresh token, redeemed once before, as an assistant's client has it most of the time. */
const usual = {
  store: 'contract',
  window: 300,
  tolerance: 10,
  before: [100],
  faults: ofAll,
  maxFaults: 2,
  passes: [2],
  clock: [],
} as const

/** One process has the step `prepare` still, another one moves. */
const moving = {
  ...usual,
  moving: { A: 'prepare', B: 'move' },
  faults: ofStore,
  maxFaults: 1,
  passes: [],
  maxStates: 60_000,
} as const

const four = ['A', 'B', 'A', 'B'].map((at, place) => ({ ...client, name: `request ${place + 1}`, at: [at] }))

/** The scenarios of `npx tsx test/faults/interleavings/main.ts`. */
export const scenarios: readonly Scenario[] = [
  {
    ...usual,
    name: 'four requests',
    actors: four,
    faults: ofStore,
    passes: [],
    clock: [30],
    maxStates: 1_200_000,
  },
  { ...usual, name: 'parallel requests', actors: [client, twin, stranger], clock: [-30, 30] },
  { ...usual, name: 'the same in memory', store: 'memory', actors: [client, twin], maxFaults: 2 },
  { ...usual, name: 'a retry later', actors: [{ ...client, at: ['A', 'B', 'A'] }], passes: [2, 20, 278] },
  { ...usual, name: 'a code', before: [], actors: [{ ...client, at: ['A', 'B', 'A'] }, twin], passes: [2, 61] },
  { ...usual, name: 'a code, later', before: [], actors: [client], faults: [...ofAll, 'failover'], passes: [11, 61] },
  { ...usual, name: 'a thief', actors: [client, thief], passes: [2, 298] },
  {
    ...usual,
    name: 'a thief of a used token',
    before: [100, 30],
    actors: [client, { ...thief, holds: 1 }],
    passes: [2, 298],
  },
  { ...usual, name: 'a bound token', keyFrom: 0, actors: [keyHolder, keyTwin, otherKeyHolder], passes: [2, 298] },
  {
    ...usual,
    name: 'a bound token that was used',
    before: [100, 6000],
    keyFrom: 0,
    actors: [keyHolder, { ...keyTwin, jar: 'twin', holds: 1 }, { ...otherKeyHolder, holds: 1 }, keyless],
    faults: ofStore,
    maxFaults: 1,
    passes: [80_000, 500],
    maxStates: 150_000,
  },
  { ...usual, name: 'a client that begins to prove a key', keyFrom: 1, actors: [keyHolder, keyTwin], passes: [2, 298] },
  { ...usual, name: 'a revocation', actors: [client, twin, revoker], faults: ofStore },
  { ...usual, name: 'the end of all grants', actors: [client, administrator], faults: ofAll },
  { ...usual, name: 'a sign-in that replaces', actors: [client, newcomer] },
  { ...usual, name: 'a signer', actors: [client, twin], hasSigner: true, faults: ['answer', 'late', 'signer'] },
  {
    ...usual,
    name: 'a failover',
    actors: [
      { ...client, at: ['A', 'B', 'A'] },
      { ...twin, at: ['B'] },
    ],
    faults: [...ofStore, 'failover'],
    passes: [20],
  },
  {
    ...usual,
    name: 'a failover after a theft',
    before: [100, 30],
    actors: [client, { ...thief, holds: 1 }],
    faults: ['failover'],
    passes: [310],
  },
  { ...usual, name: 'a failover after a revocation', actors: [client, revoker], faults: ['failover'], maxFaults: 1 },
  { ...usual, name: 'two failovers', before: [100, 20, 20, 20, 20, 20], actors: [client], faults: ['failover'] },
  {
    ...usual,
    name: 'a failover of a long chain',
    before: Array.from({ length: 17 }, () => 17),
    actors: [client, { ...twin, jar: 'twin', holds: 1 }],
    faults: ['failover'],
    maxFaults: 1,
    passes: [],
  },
  {
    ...usual,
    name: "the store's clock",
    actors: [client, twin],
    faults: ofStore,
    maxFaults: 1,
    passes: [2],
    clock: [-30, 400],
  },
  {
    ...usual,
    name: 'strict, at one process',
    window: 0,
    actors: [{ ...client, at: ['A', 'A', 'A'] }],
    hasSigner: true,
    faults: [...ofStore, 'signer'],
  },
  { ...usual, name: 'an assertion', actors: [minter, otherMinter], faults: ofStore },
  { ...usual, name: 'an assertion in memory', store: 'memory', actors: [minter, otherMinter], maxFaults: 1 },
  {
    ...usual,
    name: 'an assertion and the end of all grants',
    actors: [minter, administrator],
    faults: ofAll,
    maxStates: 100_000,
  },
  {
    ...usual,
    name: 'an assertion and the end of its grant',
    actors: [minter, otherMinter, ender],
    faults: ofStore,
    maxFaults: 1,
    maxStates: 100_000,
  },
  { ...moving, name: 'a move', actors: [{ ...client, at: ['A'] }, twin], faults: ofAll, passes: [2] },
  { ...moving, name: 'a move of all grants', actors: [{ ...client, at: ['A', 'B'] }, mover] },
  { ...moving, name: 'a move of a code', before: [], actors: [client, twin] },
  {
    ...moving,
    name: 'a move at two processes',
    moving: { A: 'move', B: 'move' },
    actors: [{ ...client, at: ['A'] }, twin],
    passes: [2],
  },
  { ...moving, name: 'a move and a revocation', actors: [twin, { ...revoker, at: ['A'] }] },
  { ...moving, name: 'a move and the end of all grants', actors: [twin, administrator] },
  {
    ...usual,
    name: 'a silent store',
    actors: [client, twin],
    faults: ['silence', 'late'],
    passes: [0.9, 0.6, 20],
  },
  {
    ...usual,
    name: 'a request that reads first',
    readsFirst: true,
    actors: [client, twin],
    faults: ['late', 'answer'],
    maxFaults: 1,
  },
  {
    ...usual,
    name: 'attempts at one process',
    actors: [{ ...client, at: ['A', 'A', 'A'] }, twin],
    faults: ['late'],
    maxFaults: 3,
    passes: [],
  },
  { ...usual, name: 'strict', window: 0, actors: [client, twin], passes: [11], maxFaults: 1 },
  { ...usual, name: 'strict, one request at a time', window: 0, actors: [client], passes: [11], maxFaults: 2 },
]

/** Small ones, for `npm test` and for the mutants. No rule is broken in any of them, except by a limit. */
export const smallScenarios: readonly Scenario[] = [
  { ...usual, name: 'two requests', actors: [client, twin, stranger], maxFaults: 0, passes: [] },
  {
    ...usual,
    name: 'two requests in memory',
    store: 'memory',
    actors: [client, twin, stranger],
    maxFaults: 0,
    passes: [],
  },
  {
    ...usual,
    name: 'a reversal that is late',
    actors: [{ ...client, at: ['A', 'A'] }, twin],
    hasSigner: true,
    faults: ['late', 'signer'],
    passes: [],
  },
  {
    ...usual,
    name: 'a code at two processes',
    before: [],
    actors: [{ ...client, at: ['A', 'B', 'B'] }],
    faults: ['answer'],
    maxFaults: 2,
    passes: [2, 61],
  },
  {
    ...usual,
    name: 'a window as short as a call',
    window: 1,
    actors: [
      { ...client, at: ['A'] },
      { ...twin, at: ['B', 'B'] },
    ],
    faults: ['silence'],
    maxFaults: 1,
    passes: [0.9, 0.6],
  },
  {
    ...usual,
    name: 'a repeat at the end of the window',
    actors: [client, thief],
    faults: ofStore,
    maxFaults: 1,
    passes: [300],
  },
  {
    ...usual,
    name: 'one failover',
    before: [100, 20, 20, 20, 20, 20],
    actors: [client],
    faults: ['failover'],
    maxFaults: 1,
    passes: [],
  },
  {
    ...usual,
    name: 'a bound token and thieves',
    keyFrom: 0,
    actors: [keyHolder, keyless, otherKeyHolder],
    maxFaults: 0,
  },
  {
    ...usual,
    name: 'a bound token after a day',
    before: [100, 6000],
    keyFrom: 0,
    actors: [{ ...keyTwin, jar: 'twin', holds: 1 }],
    maxFaults: 0,
    passes: [90_000],
  },
  { ...usual, name: 'a key that is new', keyFrom: 1, actors: [keyHolder, keyTwin], maxFaults: 0 },
  {
    ...usual,
    name: 'a failover to before the key',
    before: [100, 20, 20, 20, 6000],
    keyFrom: 3,
    actors: [keyHolder],
    faults: ['failover'],
    maxFaults: 1,
    passes: [],
  },
  { ...usual, name: 'a revocation without faults', actors: [client, revoker], maxFaults: 0, passes: [] },
  {
    ...usual,
    name: 'an assertion at one process',
    actors: [minter, { ...otherMinter, at: ['A'] }],
    faults: ['late'],
    maxFaults: 2,
    passes: [],
  },
  { ...usual, name: 'an assertion that was ended', actors: [minter, ender], maxFaults: 0, passes: [] },
  { ...usual, name: 'an assertion of an ended customer', actors: [minter, administrator], maxFaults: 0, passes: [] },
  { ...usual, name: 'a slow store', actors: [client], maxFaults: 0 },
  { ...usual, name: 'a slow store in memory', store: 'memory', actors: [client], maxFaults: 0 },
  {
    ...usual,
    name: 'a reversal in memory',
    store: 'memory',
    actors: [client, { ...twin, at: ['B', 'B'] }],
    faults: ofStore,
    maxFaults: 2,
  },
  { ...moving, name: 'a move without faults', actors: [{ ...client, at: ['A'] }, twin], maxFaults: 0 },
  {
    ...moving,
    name: 'a move and a revocation without faults',
    actors: [twin, { ...revoker, at: ['A'] }],
    maxFaults: 0,
  },
  {
    ...moving,
    name: 'a move and the end of all grants without faults',
    actors: [twin, administrator],
    maxFaults: 0,
  },
]

/** @throws If there is none of this name. */
export function scenarioNamed(name: string): Scenario {
  const found = [...smallScenarios, ...scenarios].find((scenario) => scenario.name === name)
  if (!found) throw new Error(`There is no scenario "${name}"`)
  return found
}
