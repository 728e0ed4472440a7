import { UndecidedAttempts } from '../../src/grants/undecided-attempts'
import { releaseClock, stopClock } from '../support/clock'

afterEach(releaseClock)

describe('the attempts that a process remembers', () => {
  it('are handed to one caller, so that two cannot both succeed with the same', () => {
    const undecided = new UndecidedAttempts()
    undecided.keep('credential', ['first', 'second'])
    expect(undecided.take('credential')).toEqual(['first', 'second'])
    expect(undecided.take('credential')).toEqual([])
  })

  it('come together where several callers failed', () => {
    const undecided = new UndecidedAttempts()
    undecided.keep('credential', ['first'])
    undecided.keep('credential', ['first', 'second'])
    expect(undecided.take('credential')).toEqual(['first', 'second'])
  })

  it('are forgotten after some minutes', () => {
    const clock = stopClock()
    const undecided = new UndecidedAttempts()
    undecided.keep('credential', ['first'])
    clock.advance(299)
    undecided.keep('another', ['second'])
    clock.advance(1)
    expect(undecided.take('credential')).toEqual([])
    expect(undecided.take('another')).toEqual(['second'])
  })

  it('are never more than a process has room for: the oldest go first', () => {
    const undecided = new UndecidedAttempts()
    for (let number = 0; number < 10_001; number++) undecided.keep(`credential-${number}`, ['attempt'])
    expect(undecided.take('credential-0')).toEqual([])
    expect(undecided.take('credential-1')).toEqual(['attempt'])
    expect(undecided.take('credential-10000')).toEqual(['attempt'])
  })

  it('are never many for one credential', () => {
    const undecided = new UndecidedAttempts()
    for (let number = 0; number < 1000; number++) undecided.keep('credential', [`attempt-${number}`])
    const names = undecided.take('credential')
    expect(names.length).toBeLessThan(100)
    expect(names).toContain('attempt-999')
  })
})
