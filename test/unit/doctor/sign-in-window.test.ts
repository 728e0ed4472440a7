import childProcess from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { connect, Server } from 'node:net'
import { OwnBrowser } from '../../../src/doctor/sign-in-window'

const windows: OwnBrowser[] = []

async function opened(): Promise<OwnBrowser> {
  const window = await OwnBrowser.listen()
  windows.push(window)
  return window
}

afterEach(() => {
  for (const window of windows.splice(0)) window.close()
  jest.restoreAllMocks()
})

describe('the address that the browser comes back to', () => {
  it('answers with a page that nothing keeps and that leads nowhere', async () => {
    const window = await opened()
    const answer = window.answer(60_000)
    const { status, headers } = await fetch(`${window.redirectUri}?code=x&state=y`)
    const names = ['content-type', 'cache-control', 'referrer-policy']
    expect([status, ...names.map((name) => headers.get(name))]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-store',
      'no-referrer',
    ])
    expect(String(await answer)).toBe('code=x&state=y')
  })

  it('is reached from this machine alone', async () => {
    const listen = jest.spyOn(Server.prototype, 'listen')
    expect(new URL((await opened()).redirectUri).hostname).toBe('127.0.0.1')
    expect(listen).toHaveBeenCalledWith(0, '127.0.0.1')
  })

  it('is given up when the time is over', async () => {
    expect(await (await opened()).answer(1)).toBeUndefined()
  })

  it('is closed with the window, also to somebody who sends slowly', async () => {
    const window = await opened()
    const port = Number(new URL(window.redirectUri).port)
    const slow = connect(port, '127.0.0.1')
    slow.write('GET /icon HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nGET /callback HTTP/1.1\r\n')
    void window.answer(60_000)
    await once(slow, 'data')
    window.close()
    await once(slow, 'close')
    const [error] = await once(connect(port, '127.0.0.1'), 'error')
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  })
})

describe('the browser', () => {
  const { platform } = process
  const { BROWSER } = process.env

  afterEach(() => {
    Object.defineProperty(process, 'platform', { value: platform })
    if (BROWSER === undefined) delete process.env.BROWSER
    else process.env.BROWSER = BROWSER
  })

  it.each([
    ['linux', undefined, ['xdg-open']],
    ['darwin', undefined, ['open']],
    ['win32', undefined, ['rundll32', 'url.dll,FileProtocolHandler']],
    ['win32', '  ', ['rundll32', 'url.dll,FileProtocolHandler']],
    ['darwin', ' firefox  --new-window ', ['firefox', '--new-window']],
  ])(
    'on %s with BROWSER=%j is opened by %j, and nothing happens without one',
    async (system, own, [command, ...args]) => {
      Object.defineProperty(process, 'platform', { value: system })
      if (own === undefined) delete process.env.BROWSER
      else process.env.BROWSER = own
      const child = Object.assign(new EventEmitter(), { unref: jest.fn() })
      const spawn = jest.spyOn(childProcess, 'spawn').mockReturnValue(child as never)
      const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true)
      const window = await opened()
      const answer = window.open('https://assistant.example/authorize?state=x&scope=y')
      const url = 'https://assistant.example/authorize?state=x&scope=y'
      expect(spawn).toHaveBeenCalledWith(command, [...args, url], { stdio: 'ignore', detached: true })
      expect(child.unref).toHaveBeenCalled()
      expect(String(stderr.mock.calls[0])).toContain(
        `Sign in within 5 minutes, in the browser that opens now, or here:\n${url}\n`,
      )
      child.emit('error', new Error('There is no such command'))
      await fetch(`${window.redirectUri}?code=x`)
      expect(String(await answer)).toBe('code=x')
    },
  )
})
