import type { Rule } from './referee'
import { seconds } from './scenario'
import type { World } from './world'

export type Way = readonly [scenario: string, path: readonly number[]]

/** What the credential chain cannot do: a way in which a rule does not hold, for a reason. */
export interface Limit {
  name: string
  /** Why it is so, for docs/credential-chain.md. */
  why: string
  rule: Rule
  /** The shortest way to it: a scenario, and the choices. */
  way: Way
  /** Whether the violation of a world is this one. */
  is(world: World): boolean
}

const isFailover = ({ faults }: World) => faults.includes('failover')
const isStrict = ({ prepared }: World) => prepared.scenario.window === 0
const presents = ({ violation }: World) => violation?.presented
const tells = (text: string) => (world: World) => world.violation?.told.includes(text) === true
/** Whether something went wrong, after which the store may know a redemption whose client does not. */
const isUnheard = ({ faults, passes }: World) => faults.length > 0 || passes > 0
const hasSeveralProcesses = ({ prepared }: World) => new Set(prepared.scenario.actors.flatMap(({ at }) => at)).size > 1
const hasParallelRequests = ({ prepared }: World) =>
  prepared.scenario.actors.filter(({ isHonest }) => isHonest).length > 1
const isGrantLost = ({ store, prepared }: World) => !store.contents.some(({ grantId }) => grantId === prepared.grantId)
const isCodeExpired = ({ store, storeNow, prepared }: World) =>
  store.contents.some(
    ({ grantId, credential, expiresAt }) =>
      grantId === prepared.grantId && credential?.kind === 'code' && expiresAt <= storeNow,
  )
/** What is live in the store, or was until a replay ended the grant. */
const liveOf = ({ store, prepared }: World) => {
  const grants = [store, ...store.earlier].flatMap(({ contents }) => contents)
  const { hash } = grants.find(({ grantId }) => grantId === prepared.grantId)?.credential ?? {}
  return hash === undefined ? undefined : prepared.nameOfHash(hash)
}
/** Whether what was presented comes more than four redemptions after what is live. */
const isAhead = (world: World) => {
  const { prepared, violation } = world
  const live = liveOf(world)
  const names = prepared.tokens.map(prepared.nameOf)
  const placeOf = (name: string) => names.indexOf(name)
  return live !== undefined && placeOf(violation?.presented ?? '') - placeOf(live) > 4
}
/** For each content of the store, the newest first: how long ago it has redeemed what was presented, in seconds. Undefined if it has not. */
const agesInStore = ({ store, storeNow, prepared, violation }: World) => {
  const token = prepared.tokens.find((each) => prepared.nameOf(each) === violation?.presented)
  const grants = [store, ...store.earlier].flatMap(({ contents }) => contents)
  return grants
    .filter(({ grantId }) => grantId === prepared.grantId)
    .map(({ redeemed }) => {
      const found = token && redeemed?.find(({ mark }) => prepared.rooms.hashOf(token).startsWith(mark))
      return found ? (storeNow - found.at) / seconds : undefined
    })
}
/** How long ago the store has redeemed what was presented, in seconds. Infinite if it does not remember that. */
const ageInStore = (world: World) => agesInStore(world)[0] ?? Number.POSITIVE_INFINITY
/** The same as a request may have read it: since then, a redemption that was answered with 503 may have been reversed, and another one may have come. */
const oldestAge = (world: World) =>
  Math.max(ageInStore(world), ...agesInStore(world).filter((age) => age !== undefined))
/** Whether what was presented is bound to a key. */
const isBound = ({ prepared, violation }: World) =>
  prepared.tokens.some((token) => prepared.nameOf(token) === violation?.presented && prepared.rooms.isBound(token))
const secondsPassed = ({ prepared, passes }: World) =>
  prepared.scenario.passes.slice(0, passes).reduce((sum, passed) => sum + passed, 0)

/** In this order: the first one that a violation is, it is. */
export const limits: readonly Limit[] = [
  {
    name: 'a call that failed is applied before its deadline',
    why: 'A connection that breaks does not say what is still on its way. The process remembers the attempt, and reverses it.',
    way: ['parallel requests', [0, 4, 4, 3]],
    rule: 'nothing is applied after 503',
    is: tells('before its deadline'),
  },
  {
    name: 'a call is applied after its deadline, because the clock was set back',
    why: 'The store compares the deadline with its own clock.',
    way: ['parallel requests', [0, 7, 10, 8]],
    rule: 'nothing is applied after 503',
    is: ({ clockShift }) => clockShift < 0,
  },
  {
    name: 'a repeat is answered with 503, because the clock was set back',
    why: 'A negative age opens no window, and ends nothing.',
    way: ["the store's clock", [0, 0, 0, 0, 7, 4, 2]],
    rule: 'an honest client stays',
    is: (world) => world.clockShift < 0 && tells('503')(world),
  },
  {
    name: 'a repeat looks late, because the clock was set forward',
    why: "By more than the window: an age is the difference of two readings of the store's clock.",
    way: ["the store's clock", [0, 0, 0, 6, 1, 1]],
    rule: 'an honest client stays',
    is: ({ clockShift, prepared }) => clockShift > prepared.scenario.window * 1000,
  },
  {
    name: 'a gap of more than four redemptions',
    why: 'The library derives four successors of what the store has, and no more. It takes two failovers here, because one loses at most four writes.',
    way: ['two failovers', [0, 2, 4, 0]],
    rule: 'an honest client stays',
    is: (world) => isFailover(world) && isAhead(world),
  },
  {
    name: 'a lost sign-in',
    why: 'The store has no such grant, and does not know who signed in.',
    way: ['a code, later', [0, 5, 0]],
    rule: 'an honest client stays',
    is: (world) => isFailover(world) && isGrantLost(world) && !tells('replayed')(world),
  },
  {
    name: 'a lost code redemption',
    why: 'The grant waits for its code again, and expires with it.',
    way: ['a failover after a theft', [0, 3, 1]],
    rule: 'an honest client stays',
    is: (world) => isFailover(world) && isCodeExpired(world) && !tells('replayed')(world),
  },
  {
    name: 'a reversal that is lost',
    why: 'The store has a redemption again of which no client has the result.',
    way: ['a code, later', [0, 1, 7, 0, 0, 5, 1]],
    rule: 'an honest client stays',
    is: (world) => isFailover(world) && world.facts.wasReversed,
  },
  {
    name: 'a revocation that is lost',
    why: 'The store has the grant again.',
    way: ['a failover after a revocation', [0, 0, 1, 1, 0, 0]],
    rule: 'ended stays ended',
    is: isFailover,
  },
  {
    name: 'theft is noticed one redemption late',
    why: 'A used credential is live again in the store.',
    way: ['a failover after a theft', [2, 4, 1, 1]],
    rule: 'a used token gives nothing',
    is: isFailover,
  },
  {
    name: 'two winners after a failover',
    why: 'The store redeems a credential once more whose redemption it has lost.',
    way: ['a failover after a theft', [1, 2, 1]],
    rule: 'one winner',
    is: isFailover,
  },
  {
    name: 'a repeat of a credential older than the last 16',
    why: 'A grant remembers 16 redemptions, and one refresh after a failover can be several of them.',
    way: ['a failover of a long chain', [0, 0, 2, 0, 0, 1, 1]],
    rule: 'an honest client stays',
    is: (world) => isFailover(world) && tells('replayed')(world) && Number(presents(world)?.slice(6)) <= 1,
  },
  {
    name: 'parallel requests without a window',
    why: 'The second refresh is a repeat.',
    way: ['strict', [0, 0, 0, 3]],
    rule: 'an honest client stays',
    is: (world) => isStrict(world) && hasParallelRequests(world),
  },
  {
    name: 'a lost response without a window',
    why: 'Nobody has the refresh token that is live.',
    way: ['strict, one request at a time', [0, 0, 1, 0, 1]],
    rule: 'an honest client stays',
    is: (world) => isStrict(world) && world.faults.includes('response'),
  },
  {
    name: 'another process before the reversal, without a window',
    why: 'Only the first process knows that nobody was given the result.',
    way: ['strict, one request at a time', [0, 1, 1, 0, 0]],
    rule: 'an honest client stays',
    is: (world) => isStrict(world) && isUnheard(world) && (hasSeveralProcesses(world) || tells('in the end')(world)),
  },
  {
    name: 'a code that expires',
    why: 'A code lives for 60 seconds, also where the store has not answered.',
    way: ['a code, later', [0, 6, 0, 9]],
    rule: 'an honest client stays',
    is: (world) => isCodeExpired(world) && presents(world) === 'the code',
  },
  {
    name: 'a code again, after its refresh token was used',
    why: 'Somebody has the first tokens, so the code is a replay.',
    way: ['a code', [0, 0, 0, 0, 0, 0, 4, 3]],
    rule: 'an honest client stays',
    is: (world) => presents(world) === 'the code' && !['the code', 'token 1', undefined].includes(liveOf(world)),
  },
  {
    name: 'a code again, later than 10 s',
    why: 'RFC 6749 section 4.1.2 asks for its refusal.',
    way: ['a code, later', [0, 0, 2, 0, 6]],
    rule: 'an honest client stays',
    is: (world) => {
      const isOfCode = presents(world) === 'the code' ? ageInStore(world) >= 10 : hasParallelRequests(world)
      return world.prepared.scenario.before.length === 0 && isOfCode && secondsPassed(world) >= 10
    },
  },
  {
    name: 'a client that comes later than the window',
    why: 'Its repeat cannot be told from that of a thief.',
    way: ['a retry later', [0, 1, 5, 0, 8, 0, 5]],
    rule: 'an honest client stays',
    is: (world) =>
      !isStrict(world) &&
      isUnheard(world) &&
      Math.min(secondsPassed(world), oldestAge(world)) >= world.prepared.scenario.window,
  },
  {
    name: 'a redemption that was reversed after its repeat was answered',
    why: 'The credential is live again, although it gave tokens.',
    way: ['a thief', [0, 0, 1, 4, 7, 3, 5, 0, 3]],
    rule: 'a used token gives nothing',
    is: ({ facts }) => facts.wasReversed,
  },
  {
    name: 'a thief inside the window',
    why: 'The window answers whoever has the credential, unless it is bound to a key.',
    way: ['a thief of a used token', [1, 2]],
    rule: 'a thief gets nothing',
    is: (world) => !isBound(world) && world.violation?.age !== undefined,
  },
  {
    name: 'a thief of the live token',
    why: 'A bearer token is redeemed by whoever comes first. A token that is bound to a key is not (DPoP).',
    way: ['a thief', [1, 2]],
    rule: 'a thief gets nothing',
    is: (world) => !isBound(world) && world.violation?.age === undefined,
  },
]

/** The limit that the violation of a world is, if it is one. */
export function limitOf(world: World): Limit | undefined {
  return limits.find((limit) => limit.rule === world.violation?.rule && limit.is(world))
}
