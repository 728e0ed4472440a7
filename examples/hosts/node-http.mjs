import { createServer } from 'node:http'
import { guard, signIn } from './sign-in.js'

const server = createServer((req, res) => signIn(req, res, () => ownPages(req, res)))

function ownPages(req, res) {
  if (!req.url.endsWith('/bookings')) return res.writeHead(404).end()
  guard(req, res, () => res.end(JSON.stringify(bookingsOf(req.auth.subject))))
}
server.listen(3000)
