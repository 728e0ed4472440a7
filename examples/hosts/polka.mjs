import polka from 'polka'
import { guard, signIn } from './sign-in.js'

const app = polka()
app.use(signIn)
app.get('/v1/:tenantKey/bookings', guard, (req, res) => {
  res.end(JSON.stringify(bookingsOf(req.auth.subject)))
})
app.listen(3000)
