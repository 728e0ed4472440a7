// Serves one JavaScript snippet as the client's app: `node serve.mjs <file of the snippet> <port> <API of the host> [file with refresh]`.
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'

const [file, port, api, refreshFile] = process.argv.slice(2)
const origin = `http://127.0.0.1:${port}`
let tokens

// What the page says that the snippets take from the reader's app.
globalThis.save = (issued) => {
  tokens = { ...tokens, ...issued }
}
globalThis.callApi = async (accessToken) => {
  const response = await fetch(api, { headers: { authorization: `Bearer ${accessToken}` } })
  return response.json()
}

const snippet = await import(pathToFileURL(file))
const { refresh } = refreshFile ? await import(pathToFileURL(refreshFile)) : snippet

async function answer(req, res) {
  const { pathname } = new URL(req.url, origin)
  if (pathname === '/refresh') {
    globalThis.save(await refresh(tokens))
    return json(res, await globalThis.callApi(tokens.access_token))
  }
  return app(req, res)
}

const session = {}

async function appOfFunctions(req, res) {
  const url = new URL(req.url, origin)
  if (url.pathname === '/login') return res.writeHead(302, { location: `${await snippet.login(session)}` }).end()
  globalThis.save(await snippet.callback(url.href, session))
  json(res, await globalThis.callApi(tokens.access_token))
}

async function appOfHandler(req, res) {
  const chunks = []
  for await (const chunk of req) chunks.push(chunk)
  const body = req.method === 'POST' ? { body: Buffer.concat(chunks) } : {}
  const headers = Object.entries(req.headers).map(([name, value]) => [name, String(value)])
  const response = await snippet.handler(new Request(origin + req.url, { method: req.method, headers, ...body }))
  res.writeHead(response.status, [...response.headers].flat()).end(Buffer.from(await response.arrayBuffer()))
}

async function appOfFramework() {
  if (!snippet.app.ready) return snippet.app
  await snippet.app.ready()
  return snippet.app.routing
}

function json(res, value) {
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

const app = snippet.app ? await appOfFramework() : snippet.handler ? appOfHandler : appOfFunctions

createServer((req, res) => {
  answer(req, res).catch((error) => res.writeHead(500).end(`${error.stack} ${error.cause?.stack}`))
}).listen(port, '127.0.0.1', () => process.stdout.write('ready\n'))
