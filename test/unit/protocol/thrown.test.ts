import { inspect } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { asError, messageOf, timedOut } from '../../../src/protocol/thrown'

describe('whatever was thrown', () => {
  it('stays the same if it is an error, of any realm', () => {
    const errors = [new Error('x'), new TypeError('x', { cause: 1 }), runInContext('new Error("x")', createContext())]
    for (const error of errors) expect(asError(error)).toBe(error)
    const withoutStack = new Error('x')
    Object.assign(withoutStack, { stack: undefined })
    expect(asError(withoutStack)).toBe(withoutStack)
  })

  it.each<[what: string, thrown: unknown, message: string]>([
    ['a text', 'The database is down', 'The database is down'],
    ['an object with a message', { message: 'The database is down' }, 'The database is down'],
    ['null', null, 'null was thrown, which is not an Error'],
    ['undefined', undefined, 'undefined was thrown, which is not an Error'],
    ['a number', 42, '42 was thrown, which is not an Error'],
    ['a symbol', Symbol('x'), 'Symbol(x) was thrown, which is not an Error'],
    ['an object', { password: 'secret' }, '[Object] was thrown, which is not an Error'],
    ['an object with a message that is no text', { message: 1 }, '[Object] was thrown, which is not an Error'],
    ['a list', ['secret'], '[Array] was thrown, which is not an Error'],
  ])('becomes an error that describes it: %s', (_, thrown, message) => {
    expect(asError(thrown).message).toBe(message)
  })

  it('becomes an error of at most 500 characters', () => {
    expect(asError('x'.repeat(501)).message).toBe('x'.repeat(500))
  })

  it('becomes a readable error if reading it throws', () => {
    const unreadable = {
      get message(): string {
        throw new Error('no')
      },
    }
    expect(asError(unreadable).message).toBe('What was thrown cannot be read')
    const withHostileMember = Object.defineProperty(new Error('x'), 'more', { enumerable: true, get: unreadableMember })
    expect(asError(withHostileMember).message).toBe('What was thrown cannot be read')
  })

  it.each([
    ['a message that is no text', { message: ['x'] }],
    ['a name that is no text', { name: 1 }],
    ['a stack that is no text', { stack: 1 }],
    ['a message without end', { message: 'x'.repeat(10_001) }],
  ])('becomes another error if it is one with %s', (_, members) => {
    const error = Object.assign(new Error('x'), members)
    expect(asError(error)).not.toBe(error)
    expect(asError(error)).toBeInstanceOf(Error)
  })

  it('stays the same if its message is long, but finite', () => {
    const error = new Error('x'.repeat(10_000))
    expect(asError(error)).toBe(error)
  })
})

describe('an error that a log writes as JSON', () => {
  const inJson = (thrown: unknown) => JSON.parse(JSON.stringify({ error: asError(thrown) })).error

  it('says what has failed, where, and what caused it', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const error = new TypeError('fetch failed', { cause })
    expect(inJson(error)).toEqual({
      name: 'TypeError',
      message: 'fetch failed',
      stack: error.stack,
      cause: { name: 'Error', message: 'connect ECONNREFUSED', code: 'ECONNREFUSED', stack: cause.stack },
    })
    expect(inJson('The database is down')).toMatchObject({ message: 'The database is down' })
  })

  it('says what each of several errors says', () => {
    const errors = [new Error('connect ::1'), new Error('connect 127.0.0.1')]
    expect(inJson(new AggregateError(errors))).toMatchObject({
      name: 'AggregateError',
      errors: [{ message: 'connect ::1' }, { message: 'connect 127.0.0.1' }],
    })
  })

  it('quotes no credential that somebody has sent, wherever it is in it', () => {
    const quoting = () => new Error(`GET /?code=csic_${'x'.repeat(84)}`)
    const errors = [new Error('connect ::1'), quoting()]
    for (const thrown of [quoting(), new Error('x', { cause: quoting() }), new AggregateError(errors, 'All failed')]) {
      expect(JSON.stringify(asError(thrown))).toContain('GET /?code=csic_...')
      expect(inspect(asError(thrown))).not.toContain('csic_x')
      expect(JSON.stringify(asError(thrown))).not.toContain('csic_x')
      expect(asError(thrown)).not.toHaveProperty('code')
    }
    expect(asError(Object.assign(quoting(), { code: 'EPIPE' }))).toMatchObject({ code: 'EPIPE' })
    expect(asError(new AggregateError(errors))).toMatchObject({
      errors: [errors[0], { message: 'GET /?code=csic_...' }],
    })
    expect(messageOf(asError(new AggregateError(errors)))).toBe('connect ::1, GET /?code=csic_...')
  })

  it('has no stack in a copy if it has none', () => {
    const error = Object.assign(new Error(`GET /?code=csic_${'x'.repeat(84)}`), { stack: undefined })
    expect(asError(error).stack).toBe('')
  })

  it('ends where causes form a circle', () => {
    const error = new Error('x')
    error.cause = error
    expect(JSON.stringify(asError(error)).match(/"message":"x"/g)).toHaveLength(6)
  })

  it('has no members that may be secrets, such as the arguments of a command', () => {
    const error = Object.assign(new Error('READONLY'), { command: { name: 'evalsha', args: ['secret'] } })
    expect(JSON.stringify(asError(error))).not.toContain('secret')
  })

  it('is as its own class writes it, or a copy of it if it is frozen', () => {
    class Coded extends Error {
      toJSON() {
        return { coded: true }
      }
    }
    expect(inJson(new Coded('x'))).toEqual({ coded: true })
    expect(inJson(Object.freeze(new Error('x')))).toMatchObject({ message: 'x', cause: { message: 'x' } })
  })

  it('shows no more members to other logs', () => {
    expect(Object.keys(asError(new Error('x')))).toEqual([])
  })
})

function unreadableMember(): never {
  throw new Error('no')
}

describe('what an error says', () => {
  it.each<[string, Error]>([
    ['gone', new Error('gone')],
    ['connect ::1, connect 127.0.0.1', new AggregateError([new Error('connect ::1'), new Error('connect 127.0.0.1')])],
    ['several', new AggregateError([new Error('one')], 'several')],
    ['TypeError', new TypeError()],
  ])('is %j', (message, error) => {
    expect(messageOf(error)).toBe(message)
  })
})

describe('something that took too long', () => {
  it('is an error with the code of the system for that', () => {
    expect(timedOut('It took longer than 10 ms')).toMatchObject({
      message: 'It took longer than 10 ms',
      code: 'ETIMEDOUT',
    })
  })
})
