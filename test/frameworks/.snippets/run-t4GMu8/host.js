import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { guard, signIn } from './sign-in.js'

const options = { key: readFileSync('key.pem'), cert: readFileSync('cert.pem'), allowHTTP1: true }
const server = createSecureServer(options, (req, res) => signIn(req, res, () => ownPages(req, res)))

function ownPages(req, res) {
  if (!/^\/v1\/[^/]+\/bookings$/.test(req.url))
    return req.url === '/echo' ? req.pipe(res) : res.end('a page of the host')
  guard(req, res, () => res.end(JSON.stringify(bookingsOf(req.auth.subject))))
}
server.listen(42827)
