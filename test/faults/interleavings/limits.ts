import type { Rule } from './referee'
import type { World } from './world'

/** What the credential chain cannot do: a way in which a rule does not hold, for a reason. */
export interface Limit {
  /** As docs/credential-chain.md says it. */
  name: string
  rule: Rule
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
const secondsPassed = ({ prepared, passes }: World) =>
  prepared.scenario.passes.slice(0, passes).reduce((sum, passed) => sum + passed, 0)

/** In this order: the first one that a violation is, it is. */
export const limits: readonly Limit[] = [
  {
    name: 'a call that failed is applied before its deadline',
    rule: 'nothing is applied after 503',
    is: tells('before its deadline'),
  },
  {
    name: 'a call is applied after its deadline, because the clock was set back',
    rule: 'nothing is applied after 503',
    is: ({ clockShift }) => clockShift < 0,
  },
  {
    name: 'a repeat is answered with 503, because the clock was set back',
    rule: 'an honest client stays',
    is: (world) => world.clockShift < 0 && tells('503')(world),
  },
  {
    name: 'a repeat looks late, because the clock was set forward',
    rule: 'an honest client stays',
    is: ({ clockShift, prepared }) => clockShift > prepared.scenario.window * 1000,
  },
  {
    name: 'a lost sign-in',
    rule: 'an honest client stays',
    is: (world) => isFailover(world) && isGrantLost(world) && !tells('replayed')(world),
  },
  {
    name: 'a lost code redemption',
    rule: 'an honest client stays',
    is: (world) => isFailover(world) && world.grants().length === 0 && world.now >= 60_000 && !tells('replayed')(world),
  },
  {
    name: 'a reversal that is lost',
    rule: 'an honest client stays',
    is: (world) => isFailover(world) && world.facts.wasReversed,
  },
  {
    name: 'a revocation that is lost',
    rule: 'ended stays ended',
    is: isFailover,
  },
  {
    name: 'theft is noticed one redemption late',
    rule: 'a used token gives nothing',
    is: isFailover,
  },
  {
    name: 'two winners after a failover',
    rule: 'one winner',
    is: isFailover,
  },
  {
    name: 'a gap of more than four redemptions',
    rule: 'an honest client stays',
    is: (world) => world.faults.filter((fault) => fault === 'failover').length > 1,
  },
  {
    name: 'a repeat of a credential older than the last 16',
    rule: 'an honest client stays',
    is: (world) => isFailover(world) && world.prepared.scenario.before.length >= 16,
  },
  {
    name: 'parallel requests without a window',
    rule: 'an honest client stays',
    is: (world) => isStrict(world) && hasParallelRequests(world),
  },
  {
    name: 'a lost response without a window',
    rule: 'an honest client stays',
    is: (world) => isStrict(world) && world.faults.includes('response'),
  },
  {
    name: 'another process before the reversal, without a window',
    rule: 'an honest client stays',
    is: (world) => isStrict(world) && isUnheard(world) && (hasSeveralProcesses(world) || tells('in the end')(world)),
  },
  {
    name: 'a code again, after its refresh token was used',
    rule: 'an honest client stays',
    is: (world) => presents(world) === 'the code' && world.grants()[0]?.swap?.redeemed === 'refresh_token',
  },
  {
    name: 'a code again, later than 10 s',
    rule: 'an honest client stays',
    is: (world) => {
      const isOfCode = presents(world) === 'the code' || hasParallelRequests(world)
      return world.prepared.scenario.before.length === 0 && isOfCode && secondsPassed(world) >= 10
    },
  },
  {
    name: 'a client that comes later than the window',
    rule: 'an honest client stays',
    is: (world) =>
      !isStrict(world) && isUnheard(world) && secondsPassed(world) >= Math.max(1, world.prepared.scenario.window),
  },
  {
    name: 'a redemption that was reversed after its repeat was answered',
    rule: 'a used token gives nothing',
    is: ({ facts }) => facts.wasReversed,
  },
  {
    name: 'a thief inside the window',
    rule: 'a thief gets nothing',
    is: ({ violation }) => violation?.age !== undefined,
  },
  {
    name: 'a thief of the live token',
    rule: 'a thief gets nothing',
    is: ({ violation }) => violation?.age === undefined,
  },
]

/** The limit that the violation of a world is, if it is one. */
export function limitOf(world: World): Limit | undefined {
  return limits.find((limit) => limit.rule === world.violation?.rule && limit.is(world))
}
