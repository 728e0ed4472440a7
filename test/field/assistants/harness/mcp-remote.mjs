import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { connections } from './session.mjs'

const proxy = join(dirname(createRequire(import.meta.url).resolve('mcp-remote/package.json')), 'dist/proxy.js')

/** One of its processes, as an app with one chat starts it. It speaks MCP on its standard input and output. */
async function connection({ server, folder, authorize }) {
  const child = spawn(process.execPath, [proxy, server, '--allow-http', '--transport', 'http-only'], {
    env: { PATH: process.env.PATH, HOME: folder, MCP_REMOTE_CONFIG_DIR: folder, BROWSER: 'true' },
  })
  process.on('exit', () => child.kill())
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (/^https?:\S+\/authorize\?/.test(line)) void authorize(line)
  })
  const waiting = new Map()
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...answer } = JSON.parse(line)
    waiting.get(id)?.(answer)
  })
  let last = 0
  const ask = (method, params) =>
    new Promise((resolve) => {
      const id = ++last
      waiting.set(id, resolve)
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  const clientInfo = { name: 'assistant', version: '1.0.0' }
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  return async () => {
    const { error, result } = await ask('tools/call', { name: 'who_am_i', arguments: {} })
    if (error) throw new Error(JSON.stringify(error))
    return JSON.stringify(result)
  }
}

// Its processes share the files of one folder.
export async function start(context) {
  const calls = []
  while (calls.length < connections) calls.push(await connection(context))
  return { callTool: (index) => calls[index % calls.length]() }
}
