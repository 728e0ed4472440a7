import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { guard, signIn } from './sign-in.js'

const options = { key: readFileSync('key.pem'), cert: readFileSync('cert.pem'), allowHTTP1: true }
const server = createSecureServer(options, (req, res) => signIn(req, res, () => ownPages(req, res)))

function ownPages(req, res) {
  if (!req.url.endsWith('/bookings')) return res.writeHead(404).end()
  guard(req, res, () => res.end(JSON.stringify(bookingsOf(req.auth.subject))))
}
server.listen(3000)
