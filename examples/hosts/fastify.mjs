import middie from '@fastify/middie'
import Fastify from 'fastify'
import { guard, signIn } from './sign-in.js'

const app = Fastify()
await app.register(middie)
app.use(signIn)
const guarded = { onRequest: (request, reply, done) => guard(request.raw, reply.raw, done) }
app.get('/v1/:tenantKey/bookings', guarded, (request) => bookingsOf(request.raw.auth.subject))
await app.listen({ port: 3000 })
