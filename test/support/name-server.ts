import { createSocket, type Socket } from 'node:dgram'
import { isIP } from 'node:net'

/** The answer of a name server to one question: addresses, another name and its addresses, a fault, or no answer. */
export type DnsAnswer = string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence'

type Question = { name: string; type: 'A' | 'AAAA' }

const types = { 1: 'A', 28: 'AAAA' } as const
const codes = { NXDOMAIN: 3, SERVFAIL: 2 }
const running: NameServer[] = []

afterEach(() => Promise.all(running.splice(0).map((server) => server.stop())))

/** A name server on a free UDP port of loopback, whose answers the test chooses. It is stopped after the test. */
export class NameServer {
  /** The questions that it received, in order, as `name type`. */
  readonly asked: string[] = []
  readonly #socket: Socket

  private constructor(socket: Socket) {
    this.#socket = socket
  }

  static async start(answer: (question: Question) => DnsAnswer): Promise<NameServer> {
    const socket = createSocket('udp4')
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
    const server = new NameServer(socket)
    socket.on('message', (query, { port, address }) => {
      const question = questionOf(query)
      server.asked.push(`${question.name} ${question.type}`)
      const reply = replyTo(query, answer(question))
      if (reply) socket.send(reply, port, address)
    })
    running.push(server)
    return server
  }

  get address(): string {
    return `127.0.0.1:${this.#socket.address().port}`
  }

  /** Resolves once it has received this many questions. */
  async askedTimes(times: number): Promise<void> {
    while (this.asked.length < times) await new Promise((resolve) => this.#socket.once('message', resolve))
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.#socket.close(resolve))
  }
}

/** The question of a DNS message (RFC 1035 section 4.1.2), after a header of 12 bytes. */
function questionOf(query: Buffer): Question {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), type: types[query.readUInt16BE(at + 1) as 1 | 28] }
}

function replyTo(query: Buffer, answer: DnsAnswer): Buffer | undefined {
  if (answer === 'silence') return undefined
  const records = typeof answer === 'string' ? [] : recordsOf(answer)
  const questionEnd = query.indexOf(0, 12) + 5
  const head = Buffer.from(query.subarray(0, 12))
  head.writeUInt16BE(0x8180 | (typeof answer === 'string' ? codes[answer] : 0), 2)
  head.writeUInt16BE(records.length, 6)
  head.writeUInt32BE(0, 8)
  return Buffer.concat([head, query.subarray(12, questionEnd), ...records])
}

/** Each record is for the name of the question, or for the name that the record before leads to (CNAME). */
function recordsOf(answer: readonly string[]): Buffer[] {
  let owner = Buffer.from([0xc0, 12])
  return answer.map((value) => {
    const isAddress = isIP(value) !== 0
    const data = isAddress ? addressBytes(value) : encodedName(value)
    const head = Buffer.alloc(10)
    head.writeUInt16BE(isAddress ? (isIP(value) === 4 ? 1 : 28) : 5, 0)
    head.writeUInt16BE(1, 2)
    head.writeUInt32BE(60, 4)
    head.writeUInt16BE(data.length, 8)
    const record = Buffer.concat([owner, head, data])
    if (!isAddress) owner = data
    return record
  })
}

function encodedName(name: string): Buffer<ArrayBuffer> {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

function addressBytes(address: string): Buffer<ArrayBuffer> {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const [before = '', after = ''] = address.split('::')
  const [head, tail] = [before, after].map((part) => part.split(':').filter(Boolean))
  const zeros = Array(8 - (head?.length ?? 0) - (tail?.length ?? 0)).fill('0')
  const groups = [...(head ?? []), ...zeros, ...(tail ?? [])]
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
