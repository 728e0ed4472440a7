import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createServer as createTcpServer } from 'node:net'
import { MetadataDocuments } from '../../../src/clients/metadata-documents'
import { DocumentServer, publishing } from '../../support/document-server'
import { publicClients } from '../../support/public-clients'
import { trustTestCertificate } from '../../support/tls-certificate'

const acme = { id: 'acme', key: 'acme' }

const documentsOf = () =>
  new MetadataDocuments({ allowLoopback: true, ports: [443], lookUp: async () => ['127.0.0.1'] }, publicClients)

/** Stops the clock of timers; connections go on. */
const stopTimers = () =>
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] })

const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Writes bytes that no HTTP library would send, straight to the connection. */
const writing =
  (...parts: string[]): RequestListener =>
  ({ socket }) => {
    for (const part of parts) socket.write(part)
  }

/** Writes the same bytes again and again, for as long as the other side listens. */
const writingOn =
  (text: string): RequestListener =>
  ({ socket }) => {
    const more = () => {
      while (!socket.destroyed && socket.write(text.repeat(100)));
    }
    socket.on('drain', more)
    more()
  }

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n'

/** Servers whose answers end a fetch at once. */
const rude: Record<string, RequestListener> = {
  'switches to another protocol (101)': writing(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
  ),
  'switches without saying to which': writing('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  'upgrades with its response': writing(`${head}Connection: Upgrade\r\nUpgrade: x\r\nContent-Length: 2\r\n\r\n{}`),
  'answers with interim responses without end': writingOn('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'),
  'answers to an expectation that there was not, without end': writingOn('HTTP/1.1 100 Continue\r\n\r\n'),
  'hangs up without a response': ({ socket }) => socket.end(),
  'resets the connection': ({ socket }) => socket.destroy(),
  'hangs up in its head': ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty'),
  'hangs up in its body': ({ socket }) => socket.end(`${head}Content-Length: 100\r\n\r\n{`),
  'sends a head without end': writingOn('HTTP/1.1 200 OK\r\nX: y\r\n'),
  'sends no HTTP': writing('SSH-2.0-OpenSSH_9.9\r\n'),
  'sends chunks that are none': writing(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`),
  'frames its body in two ways': writing(`${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  'sends trailers without end': ({ socket }) => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`)
    writingOn('X: y\r\n')({ socket } as IncomingMessage, {} as ServerResponse & { req: IncomingMessage })
  },
}

/** Servers that would never end a fetch. */
const slow: Record<string, RequestListener> = {
  'never answers': () => {},
  'stops after an interim response': writing('HTTP/1.1 103 Early Hints\r\n\r\n'),
  'stops in its head': writing('HTTP/1.1 200 OK\r\nX: '),
  'stops after its head': writing(`${head}Content-Length: 100\r\n\r\n`),
  'stops in its body': writing(`${head}Content-Length: 100\r\n\r\n{"client_id":`),
  'stops in a chunk': writing(`${head}Transfer-Encoding: chunked\r\n\r\n64\r\n{`),
}

/** A site with one good document; `answer` answers for all others. */
const siteOf = (answer: RequestListener) =>
  DocumentServer.startTls((self) => (req, res) => {
    if (req.url === '/good') publishing(self)(req, res)
    else answer(req, res)
  })

beforeEach(trustTestCertificate)
afterEach(() => {
  jest.useRealTimers()
  jest.restoreAllMocks()
})

describe('a fetch from a server that', () => {
  it.each(Object.entries(rude))('%s ends at once, and its slot is free for the next', async (_, answer) => {
    stopTimers()
    const server = await siteOf(answer)
    const documents = documentsOf()
    for (const path of ['/1', '/2', '/3']) {
      const fetching = documents.find(server.url(path, 'stranger.example'), acme)
      await expect(fetching).rejects.toMatchObject({
        code: expect.stringMatching(/temporarily_unavailable|invalid_client/),
      })
    }
    await expect(documents.find(server.url('/good', 'stranger.example'), acme)).resolves.toBeDefined()
  })

  it.each(Object.entries(slow))('%s ends after five seconds, and its slot is free for the next', async (_, answer) => {
    let arrived = () => {}
    const server = await siteOf((req, res) => {
      answer(req, res)
      arrived()
    })
    const documents = documentsOf()
    stopTimers()
    for (const path of ['/1', '/2', '/3']) {
      const arrival = new Promise<void>((resolve) => {
        arrived = resolve
      })
      let ended = false
      const fetching = documents.find(server.url(path, 'stranger.example'), acme).finally(() => {
        ended = true
      })
      fetching.catch(() => {})
      await arrival
      jest.advanceTimersByTime(4999)
      await settled()
      expect(ended).toBe(false)
      jest.advanceTimersByTime(1)
      await expect(fetching).rejects.toMatchObject({
        code: 'temporarily_unavailable',
        detail: { reason: 'It took longer than 5 seconds' },
      })
    }
    await expect(documents.find(server.url('/good', 'stranger.example'), acme)).resolves.toBeDefined()
  })

  it('never answers to TLS ends after five seconds, and its connection is closed', async () => {
    const accepted: Socket[] = []
    const server = createTcpServer((socket) => accepted.push(socket.on('error', () => {})))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as { port: number }
      const connection = new Promise<Socket>((resolve) => server.once('connection', resolve))
      stopTimers()
      const fetching = documentsOf().find(`https://stranger.example:${port}/client.json`, acme)
      fetching.catch(() => {})
      const socket = await connection
      const closed = new Promise((resolve) => socket.resume().once('close', resolve))
      jest.advanceTimersByTime(5000)
      await expect(fetching).rejects.toMatchObject({ code: 'temporarily_unavailable' })
      await closed
    } finally {
      for (const socket of accepted) socket.destroy()
      server.close()
    }
  })

  it('has no valid certificate for its name sends no request', async () => {
    jest.restoreAllMocks()
    const server = await DocumentServer.startTls()
    const fetching = documentsOf().find(server.url('/client.json', 'stranger.example'), acme)
    await expect(fetching).rejects.toMatchObject({
      detail: { reason: expect.stringMatching(/self-signed certificate/) },
    })
    trustTestCertificate()
    const other = documentsOf().find(server.url('/client.json', 'somebody-else.example'), acme)
    await expect(other).rejects.toMatchObject({ detail: { reason: expect.stringMatching(/altnames/) } })
    expect(server.requests).toEqual([])
  })
})
