import type { ServerResponse } from 'node:http'
import type { Appearance } from './appearance'
import { quotedName } from './consent-page'
import { type Html, html, isolate } from './html'
import { durationIn, type Language } from './languages'
import { logo, respondWithPage } from './page'
import { paged } from './paged'
import type { Question } from './question-page'
import { type ShownScope, scopeItem } from './scope-words'
import { sentence, type Words } from './words'

/** A client that a customer has connected, however often it has signed in. Times are milliseconds since 1970. */
export interface ConnectedApp {
  clientId: string
  clientName: string
  vouchedFor: boolean
  publisher: string | undefined
  destinations: readonly string[]
  scopes: readonly ShownScope[]
  /** Whether the company's own sign-in has connected it. */
  isManaged: boolean
  connectedAt: number
  lastUsedAt: number
}

/** What the page of connected apps shows. */
export interface ConnectedApps {
  tenantName: string
  apps: readonly ConnectedApp[]
  /** Which part of the list, as the address says it. */
  page: string
}

/** Shows what a customer has connected. Each button leads to a question. */
export function respondWithConnectedApps(
  res: ServerResponse,
  { tenantName, apps, page }: ConnectedApps,
  appearance: Appearance,
): void {
  const { tag, words } = appearance.language
  const { title, intro, none, disconnectAll } = words.connected
  const tenant = isolate(tenantName)
  const { shown, more } = paged(apps, page, words)
  const body = html`${logo(appearance)}
<h1>${title}</h1>
<p>${sentence(apps.length > 0 ? intro : none, { tenant })}</p>
${shown.map((app) => section(app, tenantName, tag, words))}
${more}
${apps.length > 1 && html`<section><a class="button quiet" href="?disconnect=all">${disconnectAll}</a></section>`}`
  respondWithPage(res, 200, { title, body, kind: 'list' }, appearance)
}

function section(app: ConnectedApp, tenantName: string, tag: string, words: Words): Html {
  const { clientId, vouchedFor, isManaged, scopes, connectedAt, lastUsedAt } = app
  const { consent, connected } = words
  const tenant = isolate(tenantName)
  const label = `${connected.disconnect}: ${app.clientName}`
  const query = new URLSearchParams({ disconnect: 'one', client_id: clientId })
  return html`<section>
<h2>${quotedName(app, words)}</h2>
${isManaged && html`<p class="soft">${sentence(connected.managed, { tenant })}</p>`}
<dl>
${whereabouts(app, words)}
<dt>${connected.since}</dt><dd>${day(connectedAt, tag)}</dd>
<dt>${connected.lastUsed}</dt><dd>${day(lastUsedAt, tag)}</dd>
</dl>
<p>${connected.may}</p>
<ul>
${scopes.map(scopeItem)}
</ul>
${!vouchedFor && html`<p class="soft">${sentence(consent.notChecked, { tenant })}</p>`}
<a class="button quiet" href="?${query.toString()}" aria-label="${label}">${connected.disconnect}</a>
</section>
`
}

/** What is known of where an app is, as parts of a description list. Its name alone tells nobody which app it is. */
export function whereabouts(
  { publisher, destinations }: Pick<ConnectedApp, 'destinations'> & { publisher?: string | undefined },
  { consent, connected }: Words,
): Html {
  return html`${publisher !== undefined && html`<dt>${consent.publisher}</dt><dd>${isolate(publisher)}</dd>`}
${destinations.length > 0 && html`<dt>${connected.destinations}</dt>${destinations.map((one) => html`<dd>${isolate(one)}</dd>`)}`}`
}

/** A day, in the words of a language. */
export function day(at: number, tag: string): Html {
  const date = new Date(at)
  const text = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC' }).format(date)
  return html`<time datetime="${date.toISOString()}">${text}</time>`
}

/** What a customer is asked before something is disconnected. */
export interface Disconnection {
  tenantName: string
  /** Undefined for all apps. */
  app: ConnectedApp | undefined
  /** For how long access tokens still work, in milliseconds. */
  accessLeft: number
}

/** Asks whether an app, or all, are to be disconnected. */
export function disconnectQuestion({ tenantName, app, accessLeft }: Disconnection, language: Language): Question {
  const { words } = language
  const { question, questionAll, disconnect, disconnectAll } = words.connected
  const effect = accessEnds(accessLeft, language)
  const tenant = isolate(tenantName)
  return app
    ? {
        heading: sentence(question, { client: quotedName(app, words), tenant }),
        about: whereabouts(app, words),
        effect,
        confirm: disconnect,
      }
    : { heading: sentence(questionAll, { tenant }), effect, confirm: disconnectAll }
}

/** Says when access ends. @param accessLeft For how long access tokens still work, in milliseconds. */
export function accessEnds(accessLeft: number, { tag, words }: Language): Html {
  return sentence(words.connected.effect, { time: durationIn(tag, accessLeft) })
}
