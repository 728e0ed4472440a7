import { createServer, type Server, type Socket } from 'node:net'
import { type RespCommand, takeCommands } from './resp'

/** A server that replies like Redis 5, which knows neither `PXAT` nor `ZADD GT`. It stores nothing. */
export class OldRedis {
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  private constructor(server: Server) {
    this.#server = server
    const address = server.address()
    this.port = typeof address === 'object' && address ? address.port : 0
    server.on('connection', (socket) => this.#serve(socket))
  }

  static async start(): Promise<OldRedis> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new OldRedis(server)
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #serve(socket: Socket): void {
    let unread = Buffer.alloc(0)
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
    socket.on('data', (chunk) => {
      const { commands, rest } = takeCommands(Buffer.concat([unread, chunk]))
      unread = Buffer.from(rest)
      socket.write(commands.map(replyTo).join(''))
    })
  }
}

function replyTo({ name, args }: RespCommand): string {
  switch (name) {
    case 'info':
      return bulk('# Server\r\nredis_version:5.0.14\r\nredis_mode:standalone\r\nloading:0\r\n')
    case 'get':
      return '$-1\r\n'
    case 'evalsha':
      return '-NOSCRIPT No matching script. Please use EVAL.\r\n'
    case 'eval':
      return `-ERR Error running script (call to f_${'0'.repeat(40)}): @user_script:3: ERR syntax error\r\n`
    case 'set':
      return args.includes('PXAT') ? '-ERR syntax error\r\n' : '+OK\r\n'
    case 'client':
      return "-ERR Unknown subcommand or wrong number of arguments for 'SETINFO'. Try CLIENT HELP\r\n"
    default:
      return `-ERR unknown command \`${name}\`, with args beginning with: \r\n`
  }
}

function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`
}
