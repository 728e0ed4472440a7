import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import connect from 'connect'
import express from 'express'
import express4 from 'express4'
import type { HostSettings } from './settings'

export type Layer = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** A server that hands each request from layer to layer, by means of the framework. */
export function listenerOf(framework: HostSettings['framework'], layers: readonly Layer[]): Server {
  if (framework === 'node:http') {
    return createServer((req, res) => pass(req, res, layers))
  }
  const app = { Connect: connect, 'Express 4': express4, 'Express 5': express }[framework]()
  for (const layer of layers) app.use(layer)
  return createServer(app)
}

function pass(req: IncomingMessage, res: ServerResponse, [layer, ...others]: readonly Layer[]): void {
  if (layer) layer(req, res, () => pass(req, res, others))
  else res.writeHead(404).end()
}
