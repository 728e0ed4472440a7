import type { Notes } from '../report'
import type { Wire } from '../wire'

// Many firewalls drop what is sent to port 80.
const timeLimit = 5_000

/**
 * Whether the API also answers http. There a token would be sent where others can read it, so http should redirect to https, or not answer.
 *
 * @param url The address with http.
 */
export async function checkPlainHttp(notes: Notes, wire: Wire, url: string): Promise<void> {
  const answer = await wire.ask(url, { timeLimit }).catch(() => undefined)
  if (answer && (answer.status < 300 || answer.status === 401))
    notes.find('plain-http', { request: answer.request, status: String(answer.status) })
}
