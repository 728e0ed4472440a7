import { bearerChallenge } from '../challenge'
import { checkApiAcrossOrigins } from '../cross-origin'
import { interference } from '../judge'
import { fault, type Notes } from '../report'
import type { Wire } from '../wire'
import type { ApiFound } from './api'

/** As long as an access token with many claims, signed with RSA. */
const madeUpToken = `customer-sign-in-doctor.${'x'.repeat(3000)}`

/** Whether the `Authorization` header arrives (RFC 6750 section 2.1): only then does the 401 say that the token is invalid. */
export async function presentToken(notes: Notes, wire: Wire, address: string, { asked }: ApiFound): Promise<void> {
  const headers = { ...asked.headers, Authorization: `Bearer ${madeUpToken}` }
  const answer = await wire.ask(address, { ...asked, headers })
  const { request, status } = answer
  if (isHeaderLimit(status, answer.text))
    throw fault('header-limit', { request, status: String(status), size: String(madeUpToken.length) })
  const replaced = interference(answer)
  if (replaced) throw replaced
  if (status !== 401) throw fault('token-not-refused', { request, status: String(status) })
  const header = answer.header('www-authenticate')
  if (header !== undefined && bearerChallenge(header)?.error === undefined)
    notes.find('authorization-dropped', { request })
  if (header === undefined && answer.error === undefined) notes.find('authorization-dropped', { request })
  await checkApiAcrossOrigins(notes, wire, address, asked)
}

function isHeaderLimit(status: number, text: string): boolean {
  return [414, 431, 494].includes(status) || (status === 400 && /header|cookie/i.test(text) && /large/i.test(text))
}
