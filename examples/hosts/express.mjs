import express from 'express'
import { guard, signIn } from './sign-in.js'

const app = express()
app.use(signIn)
app.get('/v1/:tenantKey/bookings', guard, (req, res) => {
  res.json(bookingsOf(req.auth.subject))
})
app.listen(3000)
