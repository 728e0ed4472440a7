import { guard } from '../../sign-in.js'

export const config = { api: { externalResolver: true } }

export default async function handler(req, res) {
  await new Promise((resolve) => guard(req, res, resolve))
  res.json(bookingsOf(req.auth.subject))
}
