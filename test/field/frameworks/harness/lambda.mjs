// Calls a Lambda function as an API Gateway does (payload format 2.0): `node lambda.mjs <file of the function> <port>`.
import { createServer } from 'node:http'
import { pathToFileURL } from 'node:url'

const [file, port] = process.argv.slice(2)
const { handler } = await import(pathToFileURL(file))

createServer(async (req, res) => {
  const chunks = []
  try {
    for await (const chunk of req) chunks.push(chunk)
  } catch {
    // The client has hung up: a gateway calls no function then.
    return
  }
  const { pathname, searchParams } = new URL(req.url, 'http://gateway')
  const { cookie, ...headers } = req.headers
  const {
    statusCode,
    headers: answered,
    cookies,
    body,
    isBase64Encoded,
  } = await handler(
    {
      version: '2.0',
      rawPath: pathname,
      rawQueryString: `${searchParams}`,
      cookies: cookie?.split('; '),
      headers,
      requestContext: { http: { method: req.method, path: pathname, sourceIp: '127.0.0.1' } },
      body: chunks.length > 0 ? Buffer.concat(chunks).toString('base64') : undefined,
      isBase64Encoded: true,
    },
    {},
  )
  res.writeHead(statusCode, { ...answered, ...(cookies && { 'set-cookie': cookies }) })
  res.end(Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'))
}).listen(port, '127.0.0.1')
