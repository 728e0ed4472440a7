import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './free-port.mjs'

const inspector = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json'))
const cli = join(inspector, 'clients/cli/build/index.js')

// It asks for a sign-in without a terminal, and keeps the tokens in a file.
const settings = { MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' }

// Each call is a process of its own. They share the file with the tokens.
export async function start({ server, folder, authorize }) {
  const port = await freePort()
  const callTool = async () => {
    const callback = ['--callback-url', `http://127.0.0.1:${port}/oauth/callback`]
    const call = ['--method', 'tools/call', '--tool-name', 'who_am_i', '--format', 'json']
    const child = spawn(process.execPath, [cli, '--server-url', server, '--transport', 'http', ...callback, ...call], {
      env: { PATH: process.env.PATH, HOME: folder, BROWSER: 'true', ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    process.on('exit', () => child.kill())
    let said = ''
    createInterface({ input: child.stderr }).on('line', (line) => {
      said += `${line}\n`
      const [url] = /https?:\S+\/authorize\?\S+/.exec(line) ?? []
      if (url) void authorize(url)
    })
    let text = ''
    for await (const chunk of child.stdout) text += chunk
    if (child.exitCode === null) await new Promise((resolve) => child.once('close', resolve))
    if (child.exitCode !== 0) throw new Error(said)
    return text
  }
  await callTool()
  return { callTool }
}
