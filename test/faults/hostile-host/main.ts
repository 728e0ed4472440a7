// Lets a host's code do its worst at every place, in a separate process whose unhandled rejections count.
import { inspect } from 'node:util'
import { hostileValues } from './hostile-values'
import { type Answer, HostileHost } from './places'

/** The ways in which a function can hand on a value. */
const ways: Record<string, (value: () => unknown) => unknown> = {
  throws: (value) => {
    throw value()
  },
  'rejects with': (value) => Promise.reject(value()),
  gives: (value) => value(),
}

// These have no time limit, because a customer may have to think.
const withoutTimeLimit = [
  'authenticate',
  'pages.consent',
  'onEvent',
  'tokenStore.deleteGrants',
  'tokenStore.deleteGrants, as it goes on',
]

async function main(): Promise<void> {
  const host = new HostileHost()
  const stop = await host.start()
  const wrong: string[] = []
  let tried = 0
  let trying = ''
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    process.on(event, () => wrong.push(`${event} after ${trying}`))
  }

  async function tryAt(place: string, what: string, act: () => unknown, mustFail: boolean): Promise<void> {
    tried++
    trying = `${place} ${what}`
    host.misdeed = { place, act }
    const answer = await host.places[place]?.()
    host.misdeed = undefined
    const fault = answer instanceof Error ? faultOfError(answer) : answer && faultOf(answer, mustFail)
    if (fault) wrong.push(`${place} ${what}: ${fault}`)
    for (const event of host.told.splice(0)) {
      const unreadable = faultOfEvent(event)
      if (unreadable) wrong.push(`${place} ${what}: the event ${unreadable}`)
    }
  }

  for (const place of Object.keys(host.places)) {
    process.send?.({ place })
    for (const [name, value] of Object.entries(hostileValues)) {
      for (const [way, hand] of Object.entries(ways)) {
        const refuses = /OAuthError/.test(name) || place === 'onEvent' || /reverse/.test(place)
        const mustFail = ['throws', 'rejects with'].includes(way) && !refuses
        await tryAt(place, `${way} ${name}`, () => hand(value), mustFail)
      }
    }
    if (!withoutTimeLimit.includes(place)) await tryAt(place, 'never settles', () => new Promise(() => {}), false)
  }
  stop()
  // By then, all pending promises have been rejected.
  await new Promise((resolve) => setImmediate(resolve))
  process.send?.({ tried, wrong: wrong.slice(0, 20) })
  process.disconnect?.()
}

/** Undefined if a client can read the response, and is told to retry if it should be. */
function faultOf({ status, type, location, text }: Answer, mustFail: boolean): string | undefined {
  const error = location ? new URL(location).searchParams.get('error') : errorIn(type, text)
  const shown = `${status} ${type} ${location ?? ''} ${text.slice(0, 200)}`
  if (error === false) return `the answer is not well-formed: ${shown}`
  return mustFail && error !== 'temporarily_unavailable' && error !== undefined ? `another error: ${shown}` : undefined
}

/** The error in a response, if any; false if it is not well-formed. */
function errorIn(type: string, text: string): string | null | undefined | false {
  if (type.startsWith('text/html')) return text.includes('</html>') ? undefined : false
  try {
    const { error, error_description } = JSON.parse(text)
    return error === undefined || typeof error_description === 'string' ? error : false
  } catch {
    return false
  }
}

function faultOfError(error: Error): string | undefined {
  return faultOfEvent({ type: 'error', error })
}

/** Undefined if a log can write the event, as text and as JSON. */
function faultOfEvent(event: unknown): string | undefined {
  const { type, error } = event as { type: string; error: unknown }
  try {
    JSON.stringify(event)
    if (type !== 'error') return undefined
    if (!(error instanceof Error)) return 'has no Error'
    const { name, message, stack = '' } = error
    const members = JSON.stringify({ ...error })
    return `${name}${message}${stack}${members}${inspect(error)}`.length > 100_000 ? 'is very long' : undefined
  } catch (unreadable) {
    return `cannot be read: ${inspect(unreadable).slice(0, 200)}`
  }
}

main().catch((error) => {
  process.send?.({ tried: 0, wrong: [inspect(error)] })
  process.exitCode = 1
  process.disconnect?.()
})
