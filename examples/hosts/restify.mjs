import restify from 'restify'
import { guard, signIn } from './sign-in.js'

const server = restify.createServer()
server.pre(signIn)
server.get('/v1/:tenantKey/bookings', guard, (req, res, next) => {
  res.send(bookingsOf(req.auth.subject))
  next()
})
server.listen(3000)
