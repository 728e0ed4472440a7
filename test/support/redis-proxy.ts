import { connect, createServer, type Server, type Socket } from 'node:net'
import { takeCommands } from './resp'

/** Where a connection breaks on the way of a write: a script or a deletion. */
export const cutPoints = ['before the command', 'inside the command', 'before the reply', 'inside the reply'] as const

/** One break; `at` says how far into the bytes it comes, from 0 up to 1. */
export interface Cut {
  point: (typeof cutPoints)[number]
  at: number
}

const writes = ['evalsha', 'eval', 'del']

/** A TCP proxy in front of a Redis server, which breaks connections as it is told. */
export class RedisProxy {
  readonly port: number
  /** The names of the commands that were sent through it, those together that came together. */
  readonly arrived: string[][] = []
  readonly #server: Server
  readonly #target: number
  readonly #sockets = new Set<Socket>()
  #coming: Cut[] = []
  #isMute = false

  private constructor(server: Server, target: number) {
    this.#server = server
    this.#target = target
    const address = server.address()
    this.port = typeof address === 'object' && address ? address.port : 0
    server.on('connection', (client) => this.#serve(client))
  }

  static async start(target: number): Promise<RedisProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new RedisProxy(server, target)
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** The next writes meet with these breaks, one each, in place of those that have not come about. */
  cutNext(...cuts: Cut[]): void {
    this.#coming = cuts
  }

  /** From now on commands arrive, and no reply does. */
  mute(): void {
    this.#isMute = true
  }

  /** Ends the silence. What was not replied to never is: its connections break. */
  heal(): void {
    this.#isMute = false
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1')
    const end = () => {
      client.destroy()
      server.destroy()
    }
    let unread = Buffer.alloc(0)
    let replyCut: Cut | undefined

    client.on('data', (chunk) => {
      const { commands, rest } = takeCommands(Buffer.concat([unread, chunk]))
      unread = Buffer.from(rest)
      this.arrived.push(commands.map(({ name }) => name))
      for (const command of commands) {
        const cut = writes.includes(command.name) ? this.#coming.shift() : undefined
        if (cut?.point === 'before the command') return end()
        if (cut?.point === 'inside the command') return void server.end(part(command.bytes, cut), end)
        replyCut ??= cut
        server.write(command.bytes)
      }
    })
    server.on('data', (reply) => {
      if (this.#isMute) return
      if (!replyCut) client.write(reply)
      else if (replyCut.point === 'before the reply') end()
      else client.write(part(reply, replyCut), end)
    })
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        end()
      })
    }
  }
}

function part(bytes: Buffer, { at }: Cut): Buffer {
  return bytes.subarray(0, Math.floor(at * bytes.length))
}
