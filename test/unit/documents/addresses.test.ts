import { promises as dns } from 'node:dns'
import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { lookUpByDns, lookUpBySystem } from '../../../src/documents/addresses'
import { guardedFetch } from '../../../src/documents/guarded-fetch'
import { DocumentServer } from '../../support/document-server'
import { NameServer } from '../../support/name-server'

const name = 'client.example'
const ever = () => new AbortController().signal

/** The result of a look-up of a name at this name server. */
const found = (server: NameServer) => lookUpByDns([server.address])(name, ever())

/** Stops the timeouts of the process. The resolver has others of its own. */
const fakeTimeouts = () =>
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] })

afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
})

describe('a look-up by DNS', () => {
  it('finds the addresses of both families', async () => {
    const server = await NameServer.start(({ type }) =>
      type === 'A' ? ['93.184.215.14', '1.1.1.1'] : ['2606:4700::1111'],
    )
    expect(await found(server)).toEqual(['93.184.215.14', '1.1.1.1', '2606:4700::1111'])
    expect(server.asked.sort()).toEqual([`${name} A`, `${name} AAAA`])
  })

  it('follows a name that is an alias of another one', async () => {
    const server = await NameServer.start(({ type }) =>
      type === 'A' ? ['a.cdn.example', 'b.cdn.example', '1.1.1.1'] : ['a.cdn.example'],
    )
    expect(await found(server)).toEqual(['1.1.1.1'])
  })

  it.each(['A', 'AAAA'] as const)(
    'is content with the family %s alone, whatever becomes of the other one',
    async (type) => {
      const address = type === 'A' ? '1.1.1.1' : '2606:4700::1111'
      for (const other of [[], 'NXDOMAIN', 'SERVFAIL', 'silence'] as const) {
        const server = await NameServer.start((question) =>
          question.type === type ? [address] : typeof other === 'string' ? other : [],
        )
        expect(await found(server)).toEqual([address])
      }
    },
  )

  it.each(['NXDOMAIN' as const, []])('finds nothing if there is no such name, or no address: %j', async (answer) => {
    expect(await found(await NameServer.start(() => answer))).toEqual([])
  })

  it('finds nothing under an invalid name', async () => {
    const server = await NameServer.start(() => ['1.1.1.1'])
    expect(await lookUpByDns([server.address])(`${'a'.repeat(64)}.example`, ever())).toEqual([])
  })

  it('asks the name servers of the system, if it is given none', async () => {
    // Such a name is found invalid before anybody is asked.
    expect(await lookUpByDns()(`${'a'.repeat(64)}.example`, ever())).toEqual([])
  })

  it('waits 300 milliseconds for the second family, and no longer', async () => {
    fakeTimeouts()
    const cancel = jest.spyOn(dns.Resolver.prototype, 'cancel')
    const server = await NameServer.start(({ type }) => (type === 'A' ? ['1.1.1.1'] : 'silence'))
    let isOver = false
    const lookingUp = found(server).finally(() => {
      isOver = true
    })
    while (jest.getTimerCount() === 0 && !isOver) await setImmediate()
    jest.advanceTimersByTime(299)
    expect(cancel).not.toHaveBeenCalled()
    jest.advanceTimersByTime(1)
    expect(cancel).toHaveBeenCalledTimes(1)
    expect(await lookingUp).toEqual(['1.1.1.1'])
  })

  it('leaves no timer and no listener behind', async () => {
    fakeTimeouts()
    const server = await NameServer.start(({ type }) => (type === 'A' ? ['1.1.1.1'] : ['2606:4700::1111']))
    const signal = ever()
    expect(await lookUpByDns([server.address])(name, signal)).toHaveLength(2)
    expect(jest.getTimerCount()).toBe(0)
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('fails if the name server fails or does not answer', async () => {
    const failing = await NameServer.start(() => 'SERVFAIL')
    await expect(found(failing)).rejects.toMatchObject({ code: 'ESERVFAIL' })
    const silent = await NameServer.start(() => 'silence')
    await expect(found(silent)).rejects.toMatchObject({ code: 'ETIMEOUT' })
  })

  it('can be aborted', async () => {
    const server = await NameServer.start(() => 'silence')
    const controller = new AbortController()
    const lookingUp = lookUpByDns([server.address])(name, controller.signal)
    await server.askedTimes(2)
    controller.abort()
    await expect(lookingUp).rejects.toMatchObject({ code: 'ECANCELLED' })
  })

  it('does not hold up other look-ups of the process, however many name servers do not answer', async () => {
    const server = await NameServer.start(() => 'silence')
    const controllers = Array.from({ length: 100 }, () => new AbortController())
    let ended = 0
    const lookUps = controllers.map(({ signal }) =>
      lookUpByDns([server.address])(name, signal).catch(() => {
        ended++
      }),
    )
    await server.askedTimes(200)
    expect(await dns.lookup('localhost')).toHaveProperty('address')
    expect(ended).toBe(0)
    for (const controller of controllers) controller.abort()
    await Promise.all(lookUps)
    expect(ended).toBe(100)
  })
})

describe('a guarded fetch', () => {
  it('goes to the address that the name server gives', async () => {
    const server = await DocumentServer.start()
    const names = await NameServer.start(({ type }) => (type === 'A' ? ['127.0.0.1'] : []))
    const guard = { allowLoopback: true, ports: [443], lookUp: lookUpByDns([names.address]) }
    const { status } = await guardedFetch(new URL(`http://${name}:${new URL(server.origin).port}/client.json`), guard)
    expect(status).toBe(200)
    expect(names.asked).toHaveLength(2)
  })

  it.each([['127.0.0.1'], ['1.1.1.1', '10.0.0.1'], ['inside.example', '169.254.169.254']])(
    'goes nowhere where the name server has said an address inside: %s',
    async (...answer) => {
      const names = await NameServer.start(({ type }) => (type === 'A' ? answer : ['2606:4700::1111']))
      const guard = { allowLoopback: false, ports: [443], lookUp: lookUpByDns([names.address]) }
      await expect(guardedFetch(new URL(`https://${name}/client.json`), guard)).rejects.toThrow(/not a public address/)
    },
  )

  it('stops the look-up when its own time is over', async () => {
    const names = await NameServer.start(() => 'silence')
    const lookUps: Promise<unknown>[] = []
    const lookUp = (host: string, signal: AbortSignal) => {
      const lookingUp = lookUpByDns([names.address])(host, signal)
      lookUps.push(lookingUp.catch(({ code }) => code))
      return lookingUp
    }
    fakeTimeouts()
    const fetching = guardedFetch(new URL(`https://${name}/client.json`), {
      allowLoopback: false,
      ports: [443],
      lookUp,
    })
    const failed = expect(fetching).rejects.toThrow('It took longer than 5 seconds')
    await names.askedTimes(2)
    jest.advanceTimersByTime(5000)
    await failed
    expect(await Promise.all(lookUps)).toEqual(['ECANCELLED'])
  })
})

describe('a look-up by the system', () => {
  it('knows the names of the hosts file', async () => {
    expect(await lookUpBySystem('localhost', ever())).toEqual(
      expect.arrayContaining([expect.stringMatching(/^(127\.0\.0\.1|::1)$/)]),
    )
  })
})
