import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express from 'express'

type Handler = (req: IncomingMessage, res: ServerResponse, next: () => void) => void

/** The hosts that pass requests to handlers: Node alone, or an app that mounts the handlers in their order. */
export const hostApps = {
  'node:http': inOrder,
  'Express 5': inExpress,
}

export type HostApp = keyof typeof hostApps

function inOrder(...handlers: Handler[]): RequestListener {
  return (req, res) => {
    const handle = (index: number): void => handlers[index]?.(req, res, () => handle(index + 1))
    handle(0)
  }
}

function inExpress(...handlers: Handler[]): RequestListener {
  const app = express()
  for (const handler of handlers) app.use(handler)
  return app
}
