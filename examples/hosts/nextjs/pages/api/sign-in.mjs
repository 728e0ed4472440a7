import { signIn } from '../../sign-in.js'

export const config = { api: { bodyParser: false, externalResolver: true } }

export default function handler(req, res) {
  signIn(req, res, () => res.status(404).end())
}
