import { serve } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { guard, signIn } from './sign-in.js'

const ofNode =
  (handler) =>
  ({ env: { incoming, outgoing } }, next) =>
    new Promise((resolve, reject) => {
      outgoing.once('close', () => resolve(RESPONSE_ALREADY_SENT))
      handler(incoming, outgoing, () => next().then(resolve, reject))
    })

const app = new Hono()
app.use(ofNode(signIn))
app.get('/v1/:tenantKey/bookings', ofNode(guard), (c) => c.json(bookingsOf(c.env.incoming.auth.subject)))
serve({ fetch: app.fetch, port: 3000 })
