import { createServer } from 'node:http'
import connect from 'connect'
import { guard, signIn } from './sign-in.js'

const app = connect()
app.use(signIn)
app.use((req, res, next) => (req.url.endsWith('/bookings') ? guard(req, res, next) : next()))
app.use((req, res, next) => (req.auth ? res.end(JSON.stringify(bookingsOf(req.auth.subject))) : next()))
createServer(app).listen(3000)
