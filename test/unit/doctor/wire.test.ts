import { once } from 'node:events'
import { unreachable, Wire } from '../../../src/doctor/wire'
import { deployed, listening } from '../../support/deployment'

describe('a request of the doctor', () => {
  it('follows no redirect, and says who it is', async () => {
    const { port, answer } = await listening()
    const agents: unknown[] = []
    answer((req, res) => {
      agents.push(req.headers['user-agent'])
      res.writeHead(302, { Location: '/elsewhere' }).end()
    })
    const { status, redirect } = await new Wire().ask(`http://127.0.0.1:${port}/`)
    expect([status, redirect?.pathname]).toEqual([302, '/elsewhere'])
    expect(agents).toEqual(['customer-sign-in-doctor'])
  })

  it('does not wait for the end of a stream of events, and closes it', async () => {
    const { port, answer } = await listening()
    const closed = new Promise((resolve) => {
      answer((_req, res) => {
        res.writeHead(200, { 'Content-Type': 'text/event-stream' }).write('data: 1\n\n')
        resolve(once(res, 'close'))
      })
    })
    expect((await new Wire().ask(`http://127.0.0.1:${port}/`)).status).toBe(200)
    await closed
  })

  it('ends when a server switches to another protocol', async () => {
    const { port, answer } = await listening()
    answer((_req, res) => {
      res.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    })
    const values = { host: `127.0.0.1:${port}` }
    await expect(new Wire().ask(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'not-http', values })
  })

  it('ends when a server stops in the middle of an answer', async () => {
    const { port, answer } = await listening()
    answer((_req, res) => void res.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'))
    await expect(new Wire().ask(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: 'closed' })
  })

  it('ends when a server sends too much or takes too long, and names its address without the query', async () => {
    const { port, answer } = await listening()
    answer(({ url }, res) => void (url?.startsWith('/flood') && res.end('x'.repeat(300_000))))
    const origin = `http://127.0.0.1:${port}`
    await expect(new Wire().ask(`${origin}/flood?code=x`)).rejects.toMatchObject({
      code: 'too-large',
      values: { url: `${origin}/flood`, limit: '256 KiB' },
    })
    await expect(new Wire(500).ask(`${origin}/silence?code=x`)).rejects.toMatchObject({
      code: 'timeout',
      values: { url: `${origin}/silence`, seconds: 0.5 },
    })
  })

  it('takes no time from an answer that may come from a cache', async () => {
    const wire = new Wire()
    const origin = await deployed()
    await wire.ask(`${origin}/login`)
    expect(wire.clocks).toEqual([])
    await wire.ask(`${origin}/login`, { method: 'POST' })
    expect(wire.clocks).toEqual([{ source: `the Date header of ${new URL(origin).host}`, ahead: expect.any(Number) }])
  })
})

describe('the clock of a server', () => {
  it.each([
    [-100, -100],
    [0, 0],
    [100, 100],
  ])('%d seconds ahead is found, whatever the request takes', (offset, ahead) => {
    const wire = new Wire()
    wire.tellTime('it', Math.floor(Date.now() / 1000) + offset, Date.now())
    expect(Math.abs((wire.clocks[0]?.ahead ?? 0) - ahead)).toBeLessThanOrEqual(30)
  })

  it('is not off if the request took long', () => {
    const wire = new Wire()
    const sent = Date.now() - 60_000
    wire.tellTime('it', Math.floor(sent / 1000), sent)
    expect(wire.clocks).toEqual([{ source: 'it', ahead: 0 }])
  })
})

const url = new URL('https://assistant.example/v1/acme/mcp')

describe('the words for a connection that fails', () => {
  // What a test cannot bring about on any machine.
  it.each([
    ['ETIMEDOUT', 'no-route'],
    ['EHOSTUNREACH', 'no-route'],
    ['ENETUNREACH', 'no-route'],
    ['CERT_NOT_YET_VALID', 'tls-not-yet-valid'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls-unknown-authority'],
    ['ENOTFOUND', 'dns'],
    ['EAI_AGAIN', 'dns-server'],
    ['HPE_HEADER_OVERFLOW', 'too-large'],
    ['ECONNRESET', 'closed'],
    ['ERR_SOMETHING_NEW', 'closed'],
  ])('are those for %s', (code, finding) => {
    expect(unreachable(Object.assign(new Error('It failed'), { code }), url).code).toBe(finding)
  })

  it('name the port that nothing listens at', () => {
    const refused = Object.assign(new Error('It failed'), { code: 'ECONNREFUSED' })
    const portOf = (address: string) => unreachable(refused, new URL(address)).values.port
    expect(['https://a.example', 'http://a.example', 'http://a.example:8080'].map(portOf)).toEqual([
      '443',
      '80',
      '8080',
    ])
  })

  it.each([
    ['ENOTFOUND', 'https://a.example:8443/x?code=y', { host: 'a.example' }],
    ['EAI_AGAIN', 'https://a.example:8443', { host: 'a.example' }],
    ['ECONNREFUSED', 'http://[::1]:8080', { host: '::1' }],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'https://a.example:8443', { host: 'a.example', names: 'b.example, 192.0.2.1' }],
    ['CERT_HAS_EXPIRED', 'https://a.example:8443', { host: 'a.example:8443' }],
    ['ECONNRESET', 'https://a.example/x?code=y', { url: 'https://a.example/x', reason: 'ECONNRESET' }],
    [undefined, 'https://a.example', { reason: 'error:0A:SSL routines::no shared cipher:x' }],
    ['EPROTO', 'https://a.example', { reason: 'no shared cipher' }],
  ])('say what %s is about, at %s', (code, address, values) => {
    const cert = { subjectaltname: 'DNS:b.example, IP Address:192.0.2.1' }
    const error = Object.assign(new Error('error:0A:SSL routines::no shared cipher:x'), { code, cert })
    expect(unreachable(error, new URL(address)).values).toMatchObject(values)
  })

  it('say that a certificate has no name, and that OpenSSL says no more', () => {
    const nameless = Object.assign(new Error('It failed'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    expect(unreachable(nameless, url).values.names).toBe('no name')
    expect(unreachable(Object.assign(new Error('It failed'), { code: 'EPROTO' }), url).values.reason).toBe(
      'the handshake failed',
    )
  })
})
