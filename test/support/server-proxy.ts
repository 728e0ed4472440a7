import { connect, createServer, type Server, type Socket } from 'node:net'

/** A command as a client sends it. */
export interface WireCommand {
  name: string
  bytes: Buffer
}

/** How a database's clients send commands. */
export interface WireProtocol {
  /** Begins to read one connection. @returns Removes the complete commands from the beginning of what the client has sent. */
  reader(): (sent: Buffer) => { commands: WireCommand[]; rest: Buffer }
  /** Whether connections may break during a command of this name. */
  isWrite(name: string): boolean
}

/** Where a connection breaks during a write. */
export const cutPoints = ['before the command', 'inside the command', 'before the reply', 'inside the reply'] as const

/** One break; `at` says after which share of the bytes it happens, from 0 up to 1. */
export interface Cut {
  point: (typeof cutPoints)[number]
  at: number
}

/** A TCP proxy in front of a database server, which breaks connections on demand. */
export class ServerProxy {
  readonly port: number
  /** The names of the commands that were sent through it, grouped as they arrived. */
  readonly arrived: string[][] = []
  readonly #server: Server
  readonly #protocol: WireProtocol
  #target: number
  readonly #sockets = new Set<Socket>()
  #coming: Cut[] = []
  #losesReplies = false

  private constructor(server: Server, target: number, protocol: WireProtocol) {
    this.#server = server
    this.#protocol = protocol
    this.#target = target
    const address = server.address()
    this.port = typeof address === 'object' && address ? address.port : 0
    server.on('connection', (client) => this.#serve(client))
  }

  static async start(target: number, protocol: WireProtocol): Promise<ServerProxy> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new ServerProxy(server, target, protocol)
  }

  async stop(): Promise<void> {
    this.#breakAll()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Breaks the next writes in these ways, one each. Earlier breaks that have not happened yet are dropped. */
  cutNext(...cuts: Cut[]): void {
    this.#coming = cuts
  }

  /** Leads to another server from now on, like an address that moves. Connections to the old one break. */
  leadTo(target: number): void {
    this.#target = target
    this.#breakAll()
  }

  /** From now on, commands arrive and their replies do not. */
  loseReplies(): void {
    this.#losesReplies = true
  }

  /** Replies arrive again, over new connections, because the lost part of a stream is never sent again. */
  passReplies(): void {
    if (!this.#losesReplies) return
    this.#losesReplies = false
    this.#breakAll()
  }

  #breakAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1')
    const end = () => {
      client.destroy()
      server.destroy()
    }
    const read = this.#protocol.reader()
    let unread = Buffer.alloc(0)
    let replyCut: Cut | undefined

    client.on('data', (chunk) => {
      const { commands, rest } = read(Buffer.concat([unread, chunk]))
      unread = Buffer.from(rest)
      this.arrived.push(commands.map(({ name }) => name))
      for (const command of commands) {
        const cut = this.#protocol.isWrite(command.name) ? this.#coming.shift() : undefined
        if (cut?.point === 'before the command') return end()
        if (cut?.point === 'inside the command') return void server.end(part(command.bytes, cut), end)
        replyCut ??= cut
        server.write(command.bytes)
      }
    })
    server.on('data', (reply) => {
      if (this.#losesReplies) return
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
