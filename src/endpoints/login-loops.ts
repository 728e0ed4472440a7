import type { ServerResponse } from 'node:http'
import { BoundedMap } from '../collections/bounded-map'
import { PerMinute } from '../collections/per-minute'
import type { Emit } from '../host/emitter'
import { digest } from '../protocol/digest'
import type { ErrorContext } from '../protocol/oauth-error'

const tenMinutes = 600_000
// A customer who is asked to log in a third time gives up.
const visitsOfLoop = 3

interface Visits {
  count: number
  since: number
}

/**
 * Notices that customers are asked to log in again and again, because the cookie of the host's session does not arrive. It remembers at most
 * 1,000 requests, by 16 bytes of their hash: a flood makes it forget others, and not grow.
 */
export class LoginLoops {
  readonly #visits = new BoundedMap<string, Visits>(1000)
  readonly #perMinute = new PerMinute()
  readonly #emit: Emit

  constructor(emit: Emit) {
    this.#emit = emit
  }

  /**
   * Notes that `authenticate` has found no customer, and has answered itself. Of all loops, one is told in a minute.
   *
   * @param url The authorization request, as the browser brings it back after the login.
   */
  note(url: string, whose: ErrorContext, res: ServerResponse): void {
    const name = digest('authorization request', url).slice(0, 22)
    const now = performance.now()
    const known = this.#visits.get(name)
    const { count, since } = known && now < known.since + tenMinutes ? known : { count: 0, since: now }
    this.#visits.set(name, { count: count + 1, since })
    if (count + 1 !== visitsOfLoop || !this.#perMinute.count({ loops: 1 })) return
    const [location] = String(res.getHeader('location') ?? 'a page').split(/[?#]/)
    const error = new Error(
      `authenticate found no customer ${visitsOfLoop} times for one sign-in, and answered with ${res.statusCode} and ${location}. Does the browser send the cookie of the session?`,
    )
    this.#emit({ type: 'error', where: 'authorize', reason: 'login_loop', error, ...whose })
  }
}
