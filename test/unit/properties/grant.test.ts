import { type CustomerSignInEvent, MemoryTokenStore } from 'customer-sign-in'
import fc from 'fast-check'
import { releaseClock } from '../../support/clock'
import { faultyStore, losesItsAnswer } from '../../support/faulty-store'
import { SkewedClocks } from '../../support/skewed-clocks'
import { started, stopAll } from '../../support/started'
import { ComparedGrant, inWords } from './compared-grant'
import type { Rules } from './grant-model'

const seconds = (...choices: number[]) => fc.constantFrom(...choices)

const rules: fc.Arbitrary<Rules> = fc.record({
  authorizationCodeLifetime: seconds(10, 60, 600, 600),
  refreshTokenLifetime: seconds(15, 120, 2_592_000, 2_592_000),
  grantLifetime: fc.constantFrom(undefined, undefined, 100, 1000),
  replayTolerance: seconds(0, 5, 10, 60),
  refreshRetryWindow: seconds(0, 5, 10, 60, 300, 3900),
})

// How many seconds the clocks of two processes and the store are ahead of the true time.
const off = fc.constantFrom(0, 0.02, -0.02, 2, -2, 61, -61, 300, -300, 86_400, -86_400)
const offsets = fc.record({ processes: fc.tuple(off, off), store: off })

const either = fc.constantFrom(0 as const, 1 as const)
const who = { customer: either, process: either }
const ago = fc.oneof(fc.constantFrom(0, 1, 1, 1), fc.nat({ max: 7 }))
const sometimes = (weight: number, does: string, howFar: fc.Arbitrary<number> = ago) => ({
  weight,
  arbitrary: fc.record({ does: fc.constant(does), howFar, ...who }),
})
const action = fc.oneof(
  sometimes(24, 'redeem', fc.constant(0)),
  sometimes(12, 'present'),
  sometimes(6, 'present while the answer is lost'),
  sometimes(4, 'guess'),
  sometimes(6, 'fail over'),
  sometimes(1, 'revoke'),
  sometimes(6, 'wait', seconds(0.001, 4.999, 5, 9.999, 10)),
  sometimes(1, 'wait', seconds(15, 60, 100)),
)

type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

type Offsets = typeof offsets extends fc.Arbitrary<infer T> ? T : never

/** Two processes over one store, each with its own clock, two customers, and everything that can happen to them. */
async function live(options: Rules, off: Offsets, actions: readonly Action[]): Promise<void> {
  const events: CustomerSignInEvent[] = []
  const clocks = new SkewedClocks(off.store)
  const memory = new MemoryTokenStore()
  const kept = clocks.keep(memory)
  const faulty = faultyStore(kept)
  const stores = { memory, kept }
  const { authorizationCodeLifetime, refreshTokenLifetime, grantLifetime, ...tolerances } = options
  const shared = {
    ...tolerances,
    lifetimes: {
      authorizationCode: authorizationCodeLifetime,
      refreshToken: refreshTokenLifetime,
      grant: grantLifetime,
    },
    tokenStore: faulty.store,
    baseUrl: 'https://assistant.example',
    onEvent: (event: CustomerSignInEvent) => events.push(event),
  }
  const processes = [await started(shared), await started(shared)] as const
  const customers = [
    await ComparedGrant.begin('customer-1', processes[0], options, stores, clocks),
    await ComparedGrant.begin('customer-2', processes[0], options, stores, clocks),
  ] as const

  for (const { does, howFar, customer, process } of actions) {
    const grant = customers[customer]
    const host = processes[process]
    clocks.believe(off.processes[process])
    if (does === 'wait') clocks.advance(howFar)
    else if (does === 'guess') await grant.guess(howFar, host)
    else if (does === 'revoke') await grant.revoke(host)
    else if (does === 'fail over') await grant.failOver(howFar)
    else if (does === 'present while the answer is lost') {
      faulty.next('swapCredential', losesItsAnswer)
      await grant.presentWhileAnswerIsLost(howFar, host)
    } else await grant.present(howFar, host)
    for (const each of customers) await each.expectListed(host)
  }

  await Promise.all(processes.map((host) => host.told('error')))
  for (const { subject, told } of customers) {
    // Only the events that change a grant: a denied request changes nothing.
    const about = events.filter((event) => event.type !== 'denied' && 'subject' in event && event.subject === subject)
    expect(about.map(inWords)).toEqual(told)
  }
  await stopAll()
}

afterEach(releaseClock)

describe('a grant', () => {
  // In parts, so that the time limit is for ten lives and not for all, however busy the machine is.
  const parts = Array.from({ length: 20 }, (_, index) => index + 1)

  it.each(parts)('does what the model says, whatever happens to it and whatever the clocks show: part %d', async () => {
    const actions = fc.array(action, { minLength: 1, maxLength: 40, size: 'max' })
    await fc.assert(fc.asyncProperty(rules, offsets, actions, live), { numRuns: 10 })
  })
})
