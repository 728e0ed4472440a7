import type { StoreCall } from './explored-store'
import type { Outcome } from './host-process'
import type { Prepared } from './prepared'
import type { Actor } from './scenario'
import type { Choice, World } from './world'

/** A way in words, as docs/credential-chain.md has it. */
export function sentence(trace: readonly string[]): string {
  return trace.join(' → ')
}

/** What happens, in words: a choice, and what it leads to. */
export function tellChoice(choice: Choice, before: World, after: World): string {
  const answered = before.progress.flatMap((progress, actor) => {
    const { name } = before.prepared.scenario.actors[actor] as Actor
    const isDecided = progress.at !== undefined && after.progress[actor]?.at === undefined && choice.kind !== 'kill'
    return isDecided ? [`${name} is answered with ${tellAnswer(before, after, actor)}`] : []
  })
  return [tellCause(choice, before), ...answered].join('; ')
}

function tellAnswer(before: World, after: World, actor: number): string {
  const { jar } = before.prepared.scenario.actors[actor] as Actor
  const { response } = after.progress[actor] ?? {}
  if (response) return tellOutcome(response, before.prepared)
  const { token, isSignedOut } = after.jars.get(jar) ?? { token: '', isSignedOut: false }
  if (isSignedOut) return 'invalid_grant'
  const outcomes = [...after.processes.values()].flatMap(({ reaction }) => reaction.outcomes)
  const own = outcomes.find(({ by }) => by === before.prepared.scenario.actors[actor]?.name)
  return own ? tellOutcome(own.outcome, before.prepared) : before.prepared.nameOf(token)
}

function tellOutcome(outcome: Outcome, { nameOf }: Prepared): string {
  if (outcome.kind === 'tokens') return nameOf(outcome.token)
  return { refused: 'invalid_grant', unavailable: '503', done: '200', lost: 'nothing' }[outcome.kind]
}

function tellCause(choice: Choice, world: World): string {
  const { scenario, nameOf } = world.prepared
  switch (choice.kind) {
    case 'begin': {
      const actor = scenario.actors[choice.actor] as Actor
      const at = actor.at[world.progress[choice.actor]?.requests ?? 0]
      return `${actor.name} ${tellDeed(actor, nameOf(world.jars.get(actor.jar)?.token ?? ''))} at ${at}`
    }
    case 'respond':
    case 'lose response': {
      const { name } = scenario.actors[choice.actor] as Actor
      const what = tellOutcome(world.progress[choice.actor]?.response as Outcome, world.prepared)
      return choice.kind === 'respond' ? `${name} gets ${what}` : `the response to ${name} is lost`
    }
    case 'answer':
      return choice.open.call === 'sign'
        ? 'the signer signs'
        : `the store answers ${tellCall(choice.open.call, choice.open.by, world)}`
    case 'lose answer':
      return `the store applies ${tellCall(choice.open.call, choice.open.by, world)}, but its answer is lost`
    case 'keep silent':
      return `the store applies ${tellCall(choice.open.call, choice.open.by, world)}, but does not answer`
    case 'break':
      return choice.open.call === 'sign'
        ? 'the signer fails'
        : `the connection breaks before ${tellCall(choice.open.call, choice.open.by, world)}`
    case 'break late':
      return `the connection breaks, and ${tellCall(choice.open.call, choice.open.by, world)} is still on its way`
    case 'apply late':
      return `the store applies ${tellCall(choice.late.call, choice.late.by, world)} late`
    case 'kill':
      return `process ${choice.process} is killed`
    case 'failover':
      return choice.lost === 1 ? 'a failover loses the last write' : `a failover loses the last ${choice.lost} writes`
    case 'time':
      return `${choice.duration} s pass`
    case 'clock':
      return `the store's clock is set ${choice.shift > 0 ? 'forward' : 'back'} by ${Math.abs(choice.shift)} s`
  }
}

function tellDeed({ does }: Actor, token: string): string {
  if (does === 'end all grants') return 'ends all grants'
  if (does === 'move') return 'moves all grants'
  if (does === 'end the grant') return 'ends the grant of the assertion'
  if (does === 'revoke') return `revokes ${token}`
  return does === 'redeem as another client' ? `presents ${token} as another client` : `presents ${token}`
}

function tellCall(call: StoreCall | 'sign', by: string, { prepared: { nameOfHash } }: World): string {
  if (call === 'sign') return 'the signature'
  const { method, args, of } = call
  const whose = `${by === '' ? 'the' : `${by}'s`}${of ? ` ${of === 'to' ? 'new' : 'old'}-store` : ''}`
  const [given] = args as [{ from: string; to: string }]
  if (method === 'swapCredential') return `${whose} swap of ${nameOfHash(given.from)} for ${nameOfHash(given.to)}`
  if (method === 'reverseSwap') return `${whose} reversal of ${nameOfHash(given.to)}`
  const names = {
    findGrant: 'look at the grant',
    listGrants: 'list of grants',
    deleteGrant: 'deletion',
    deleteGrants: 'deletion',
    createGrant: 'new grant',
    useOnce: 'note that the assertion was used',
    readClock: 'look at the clock',
    beginImport: 'copy that is not live yet',
    finishImport: 'copy that becomes live',
    findImport: 'look at the copy',
    dropImport: 'deletion of a copy that is not live yet',
  }
  return `${whose} ${names[method]}`
}
