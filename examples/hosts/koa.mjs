import Router from '@koa/router'
import Koa from 'koa'
import connect from 'koa-connect'
import { guard, signIn } from './sign-in.js'

const app = new Koa()
const router = new Router()
router.get('/v1/:tenantKey/bookings', connect(guard), (ctx) => {
  ctx.body = bookingsOf(ctx.req.auth.subject)
})
app.use(connect(signIn)).use(router.routes())
app.listen(3000)
